//! The lab's own endpoints: what it serves, which faults are ordered, what was counted.
//!
//! `GET /lab` · `POST /lab/fault` (an ordered fault) · `GET /lab/faults` · `DELETE /lab/faults` ·
//! `GET /lab/counts` · `POST /lab/reset`

use serde_json::{Value, json};

use crate::api::{apis, find};
use crate::api_request::ApiRequest;
use crate::http::Reply;
use crate::ordered_fault::{FaultMode, OrderedFault};
use crate::state::LabState;

pub(crate) fn answer(state: &LabState, request: &ApiRequest) -> Reply {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => Reply::json(200, &overview()),
        ("POST", "/fault") => order(state, request),
        ("GET", "/faults") => Reply::json(200, &json!({"faults": state.faults()})),
        ("DELETE", "/faults") => {
            state.clear(false);
            Reply::json(200, &json!({"faults": []}))
        }
        ("GET", "/counts") => Reply::json(200, &json!({"counts": state.counts()})),
        ("POST", "/reset") => {
            state.clear(true);
            Reply::json(200, &json!({"faults": [], "counts": {}}))
        }
        _ => mistake(
            404,
            "there is no such control; GET /lab lists them".to_owned(),
        ),
    }
}

fn overview() -> Value {
    let served: Vec<Value> = apis()
        .iter()
        .map(
            |api| json!({"id": api.id, "name": api.name, "url": format!("/{}", api.id), "needsKey": api.key.is_needed(), "docs": api.docs}),
        )
        .collect();
    json!({
        "apis": served,
        "key": crate::KEY,
        "modes": FaultMode::ALL,
        "controls": ["GET /lab", "POST /lab/fault", "GET /lab/faults", "DELETE /lab/faults", "GET /lab/counts", "POST /lab/reset"],
        "example": OrderedFault::new("brave", FaultMode::RateLimited).times(2).wait(crate::WaitForm::Seconds, 3),
    })
}

fn order(state: &LabState, request: &ApiRequest) -> Reply {
    match serde_json::from_slice::<OrderedFault>(&request.body) {
        Ok(order) if order.provider == "*" || find(&order.provider).is_some() => {
            state.order(order);
            Reply::json(200, &json!({"faults": state.faults()}))
        }
        Ok(_) => mistake(
            400,
            "provider: no API here has that id; GET /lab lists them".to_owned(),
        ),
        Err(problem) => mistake(400, format!("not an order: {problem}")),
    }
}

fn mistake(status: u16, words: String) -> Reply {
    Reply::json(status, &json!({"error": words}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(state: &LabState, method: &str, path: &str, body: &str) -> Reply {
        answer(
            state,
            &ApiRequest {
                body: body.as_bytes().to_vec(),
                ..ApiRequest::new(method, path)
            },
        )
    }

    #[test]
    fn a_fault_is_ordered_listed_and_dropped() {
        let state = LabState::default();
        let id = apis()[0].id;
        let body = json!({"provider": id, "mode": "rate_limited", "times": 2, "retry_after": "date", "seconds": 4}).to_string();
        assert_eq!(ask(&state, "POST", "/fault", &body).status, 200);
        assert_eq!(state.faults().len(), 1);
        assert_eq!(ask(&state, "DELETE", "/faults", "").status, 200);
        assert!(state.faults().is_empty());
    }

    #[test]
    fn a_bad_order_is_refused_with_the_reason() {
        let state = LabState::default();
        for body in [
            "",
            "{}",
            r#"{"provider":"nobody","mode":"reset"}"#,
            r#"{"provider":"*","mode":"explode"}"#,
            r#"{"provider":"*","mode":"reset","tims":1}"#,
        ] {
            assert_eq!(ask(&state, "POST", "/fault", body).status, 400, "{body}");
        }
        assert!(state.faults().is_empty());
        assert_eq!(ask(&state, "GET", "/nothing", "").status, 404);
        assert_eq!(ask(&state, "GET", "/", "").status, 200);
    }
}
