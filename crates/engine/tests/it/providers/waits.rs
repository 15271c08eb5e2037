//! The waits that providers ask for, in every form.

use std::time::Duration;

use fault::{Case, Retry};
use lab::{FaultMode, OrderedFault, WaitForm};

use super::{Bench, plain_query, remote};

/// The advised wait in seconds.
fn seconds(fault: &fault::Fault) -> Option<u64> {
    match fault.advice() {
        Retry::After(wait) => Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0)),
        _ => None,
    }
}

#[tokio::test]
async fn the_fault_carries_the_wait_in_whatever_form_it_comes() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        for form in [
            WaitForm::Seconds,
            WaitForm::Date,
            WaitForm::Epoch,
            WaitForm::Reset,
        ] {
            bench.lab.clear();
            bench.lab.fault(
                OrderedFault::new(bench.id(), FaultMode::Status)
                    .status(429)
                    .wait(form, 17),
            );
            let fault = bench.fault().await;
            assert!(
                seconds(&fault).is_some_and(|wait| (15..=18).contains(&wait)),
                "{} {form:?}: {:?}",
                bench.id(),
                fault.advice()
            );
            assert!(fault.source_requested_wait(), "{} {form:?}", bench.id());
        }
    }
}

#[tokio::test]
async fn without_a_wait_the_fault_carries_that_of_the_catalogue() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        bench.lab.fault(
            OrderedFault::new(bench.id(), FaultMode::Status)
                .status(429)
                .wait(WaitForm::Absent, 0),
        );
        let fault = bench.fault().await;
        // SearXNG's limiter allows four searches an hour.
        let wait = if bench.id() == "searxng" { 900 } else { 60 };
        assert_eq!(
            (seconds(&fault), fault.source_requested_wait()),
            (Some(wait), false),
            "{}",
            bench.id()
        );
    }
}

/// Some providers document a header of their own for the wait.
#[tokio::test]
async fn a_documented_header_for_the_wait_is_read() {
    for id in ["brave", "github"] {
        let provider = remote()
            .into_iter()
            .find(|provider| provider.spec().id() == id)
            .unwrap();
        let bench = Bench::new(provider).await;
        bench
            .lab
            .fault(OrderedFault::new(id, FaultMode::RateLimited).wait(WaitForm::Documented, 23));
        let fault = bench.fault().await;
        assert_eq!(fault.case(), Case::Http429, "{id}");
        assert!(
            seconds(&fault).is_some_and(|wait| (21..=24).contains(&wait)),
            "{id}: {:?}",
            fault.advice()
        );
    }
}

#[tokio::test]
async fn a_used_up_plan_is_not_retried() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        bench
            .lab
            .fault(OrderedFault::new(bench.id(), FaultMode::Quota));
        let fault = bench.fault().await;
        if fault.case() == Case::QuotaExhausted {
            assert_eq!(fault.advice(), Retry::Never, "{}", bench.id());
        }
    }
}

/// The lab refuses a client that returns early, so success proves that the wait was long enough.
#[tokio::test]
async fn a_client_that_waits_as_advised_is_served() {
    let mut obeying = tokio::task::JoinSet::new();
    for provider in remote() {
        obeying.spawn(async move {
            let bench = Bench::new(provider).await;
            bench.lab.fault(
                OrderedFault::new(bench.id(), FaultMode::Status)
                    .status(429)
                    .wait(WaitForm::Seconds, 1)
                    .until_waited(),
            );
            let fault = bench.fault().await;
            tokio::time::sleep(Duration::from_secs(seconds(&fault).unwrap())).await;
            let again = bench.ask(&plain_query(&bench.spec().offers[0])).await;
            assert!(again.is_ok(), "{}: {again:?}", bench.id());
        });
    }
    while let Some(served) = obeying.join_next().await {
        served.unwrap();
    }
}
