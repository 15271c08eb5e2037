//! Documents that cost far more than their size, and the good ones beside them.

use serde_json::{Value, json};
use testkit::documents::{nested_forms, pdf};
use testkit::{Reply, Web};

use crate::cases::machine;
use crate::client::Client;

fn document(bytes: Vec<u8>) -> Reply {
    Reply::new(200, bytes).header("Content-Type", "application/pdf")
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// As many calls as are read from one host at a time, so that none waits for the host.
#[tokio::test]
async fn good_documents_beside_costly_ones_are_read_or_told_to_wait() {
    let web = Web::start().await;
    for number in 0..2 {
        web.on(&format!("/hostile/{number}.pdf"), document(nested_forms()));
    }
    for number in 0..4 {
        let words = format!("BT /F1 10 Tf 50 700 Td (The good document {number}.) Tj ET");
        web.on(&format!("/good/{number}.pdf"), document(pdf(&[&words])));
    }
    let allow = format!("127.0.0.1:{}", web.port());
    let arguments = ["--ephemeral", "--browser", "never", "--deadline", "10"];
    let mut client = Client::spawn(&[&arguments[..], &["--allow-private", &allow]].concat());
    client.initialize("2025-11-25").await;
    client.patience = std::time::Duration::from_secs(60);
    let mut begin = async |path: String| {
        let arguments = json!({"url": web.url(&path)});
        let params = json!({"name": "scrape_page", "arguments": arguments});
        client.begin("tools/call", params).await
    };
    let (mut hostile, mut good) = (Vec::new(), Vec::new());
    for number in 0..2 {
        hostile.push(begin(format!("/hostile/{number}.pdf")).await);
    }
    for number in 0..4 {
        good.push(begin(format!("/good/{number}.pdf")).await);
    }
    for (number, id) in good.into_iter().enumerate() {
        let result = client.reply(id).await["result"].clone();
        if result["isError"] == false {
            let words = format!("The good document {number}.");
            assert!(text_of(&result).contains(&words), "{result}");
            continue;
        }
        let fault = machine(&result);
        assert_eq!(fault["reason"], "local_limit", "{result}");
        assert_eq!(fault["retryable"], true, "{result}");
        assert!(text_of(&result).contains("busy reading"), "{result}");
    }
    for id in hostile {
        let result = client.reply(id).await["result"].clone();
        assert_eq!(result["isError"], true, "{result}");
    }
}
