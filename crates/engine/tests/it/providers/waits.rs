//! When to come back: told in every form, carried through, and true.

use std::time::Duration;

use fault::{Case, Retry};
use lab::{FaultMode, OrderedFault, WaitForm};

use super::{Bench, question, remote};

/// The advised wait in seconds.
fn seconds(fault: &fault::Fault) -> Option<u64> {
    match fault.advice() {
        Retry::After(wait) => Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0)),
        _ => None,
    }
}

#[tokio::test]
async fn the_told_wait_is_carried_in_every_form() {
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
            assert!(fault.told_by_source(), "{} {form:?}", bench.id());
        }
    }
}

#[tokio::test]
async fn an_untold_wait_is_the_catalogues() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        bench.lab.fault(
            OrderedFault::new(bench.id(), FaultMode::Status)
                .status(429)
                .wait(WaitForm::Absent, 0),
        );
        let fault = bench.fault().await;
        assert_eq!(
            (seconds(&fault), fault.told_by_source()),
            (Some(60), false),
            "{}",
            bench.id()
        );
    }
}

/// Providers that document a wait of their own tell it in their own header.
#[tokio::test]
async fn a_documented_limit_tells_its_own_wait() {
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
async fn a_used_up_plan_is_not_waited_for() {
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

/// The lab refuses whoever comes early, so success proves that the advice was enough.
#[tokio::test]
async fn whoever_waits_as_told_is_served() {
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
            let again = bench.ask(&question(&bench.spec().offers[0])).await;
            assert!(again.is_ok(), "{}: {again:?}", bench.id());
        });
    }
    while let Some(served) = obeying.join_next().await {
        served.unwrap();
    }
}
