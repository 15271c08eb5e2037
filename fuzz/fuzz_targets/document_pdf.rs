//! Reads a PDF page of any drawing instructions, in a valid file: never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

fuzz_target!(|content: &[u8]| {
    let objects: [&[u8]; 4] = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>/XObject<</X 5 0 R>>>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ];
    let mut file = b"%PDF-1.7\n".to_vec();
    for (index, object) in objects.iter().enumerate() {
        file.extend(format!("{} 0 obj\n", index + 1).into_bytes());
        file.extend(*object);
        file.extend(b"\nendobj\n");
    }
    file.extend(
        format!(
            "5 0 obj\n<</Subtype/Form/BBox[0 0 9 9]/Length {}>>stream\n",
            content.len()
        )
        .into_bytes(),
    );
    file.extend(content);
    file.extend(b"\nendstream\nendobj\ntrailer<</Root 1 0 R>>");
    let _ = read_document_within(&file, &Hint::default(), Limits::default());
});
