//! Calendars and address books.

use reading::document::{Hint, read_document};

/// A file of that name as Markdown.
fn read(text: &str, name: &str) -> String {
    let hint = Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    };
    read_document(text.as_bytes(), &hint).unwrap().markdown
}

#[test]
fn calendars_and_contacts_are_read() {
    let calendar = "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Team\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Vienna:20260131T100000\r\nDTEND;TZID=Europe/Vienna:20260131T110000\r\n\
        SUMMARY:Plan\\, then\r\n  act\r\nLOCATION:Room 1\r\nORGANIZER;CN=\"Ada: L\":mailto:ada@a.example\r\nRRULE:FREQ=WEEKLY\r\nEXDATE;TZID=Europe/Vienna:20260207T100000,20260214T100000\r\nRDATE;VALUE=DATE:20260301\r\n\
        DESCRIPTION:First\\nsecond\r\nBEGIN:VALARM\r\nDESCRIPTION:no\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    assert_eq!(
        read(calendar, "a.ics"),
        "# Team\n\n## Plan, then act\n\n- When: 2026-01-31 10:00 (Europe/Vienna) to 2026-01-31 11:00 (Europe/Vienna)\n- Where: Room 1\n\
         - Organizer: Ada: L <ada@a.example>\n- Repeats: FREQ=WEEKLY\n- Also on: 2026-03-01\n\
         - Not on: 2026-02-07 10:00 (Europe/Vienna), 2026-02-14 10:00 (Europe/Vienna)\n\nFirst\nsecond"
    );
    let card = "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Eva;;;\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Eva=20=\r\nM=C3=BCller\r\n\
        TEL;WORK;VOICE:+1 555\r\nEMAIL;TYPE=home:eva@a.example\r\nADR:;;1 Road;Town;;;\r\nPHOTO;ENCODING=b:AAAA\r\nEND:VCARD\r\n";
    assert_eq!(
        read(card, "a.vcf"),
        "## Eva Müller\n\n- Telephone (work, voice): +1 555\n- Email (home): eva@a.example\n- Address: 1 Road, Town"
    );
}

#[test]
fn busy_times_tasks_and_journals_keep_what_they_say() {
    let calendar = "BEGIN:VCALENDAR\r\nBEGIN:VFREEBUSY\r\nATTENDEE:mailto:ada@a.example\r\n\
        FREEBUSY:20260131T100000Z/PT1H,20260201T100000Z/20260201T113000Z\r\nCOMMENT:Ask me\r\nEND:VFREEBUSY\r\n\
        BEGIN:VTODO\r\nSUMMARY:Write\r\nCOMPLETED:20260202T080000Z\r\nPERCENT-COMPLETE:100\r\nCONTACT:Bo\\, +1 555\r\nRESOURCES:PEN,PAPER\r\nEND:VTODO\r\n\
        BEGIN:VJOURNAL\r\nSUMMARY:Diary\r\nDESCRIPTION:Morning\r\nDESCRIPTION:Evening\r\nEND:VJOURNAL\r\nEND:VCALENDAR\r\n";
    assert_eq!(
        read(calendar, "a.ics"),
        "# Calendar\n\n## Busy times\n\n- Attendee: ada@a.example\n- Busy: 2026-01-31 10:00 UTC for PT1H, 2026-02-01 10:00 UTC to 2026-02-01 11:30 UTC\n\
         - Comment: Ask me\n\n## Write\n\n- Completed: 2026-02-02 08:00 UTC\n- Percent done: 100\n- Contact: Bo, +1 555\n- Resources: PEN,PAPER\n\n\
         ## Diary\n\nMorning\n\nEvening"
    );
}
