//! Lists of secrets: what one row tells of the others.

use mask::Masker;

#[test]
fn the_same_cell_of_another_row_goes() {
    for (text, masked) in [
        (
            "[smtp.example.com]:587    relay@example.com:Vk3m!Pq7Xv9Zt\n[mail.example.org]:465    backup:harbor.oyster.14\n",
            "[smtp.example.com]:587    relay@example.com:***\n[mail.example.org]:465    backup:***\n",
        ),
        (
            "\"legacy\" \"md5492223046c3b42f330a5c173de3497ff\"\n\"scanner\" \"Vk3m!Pq7Xv9Zt\"\n",
            "\"legacy\" \"***\"\n\"scanner\" \"***\"\n",
        ),
    ] {
        assert_eq!(Masker::default().mask(text), masked);
    }
}

#[test]
fn other_settings_beside_a_password_stay() {
    for (text, masked) in [
        (
            "hostname web01x-prod\npassword Vk3mPq7Xv9\nrelease report2024a\n",
            "hostname web01x-prod\npassword ***\nrelease report2024a\n",
        ),
        ("amy:Vk3m!Pq7Xv9Zt\nbob:\n", "amy:***\nbob:\n"),
    ] {
        assert_eq!(Masker::default().mask(text), masked);
    }
}
