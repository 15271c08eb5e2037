//! A Redis server that goes away and comes back.

use std::time::{Duration, Instant};

use engine::research::{Limits, NewStep, Research};
use engine::store::{RedisStore, Tenant};
use fault::{Case, Secret};

use super::redis_server::RedisServer;

#[tokio::test]
async fn a_server_that_is_gone_is_a_fault_and_one_that_is_back_needs_no_restart() {
    let mut server = RedisServer::start();
    let store = RedisStore::new(&Secret::new(server.url())).unwrap();
    let (research, tenant) = (Research::new(std::sync::Arc::new(store), Limits::default()), Tenant::local());
    let id = research.start(&tenant, "goal", None).await.unwrap().id;
    for _ in 0..2 {
        server.kill();
        let asked = Instant::now();
        let fault = research.step(&tenant, &id, &NewStep::default()).await.unwrap_err();
        assert_eq!(fault.case(), Case::Store);
        assert!(fault.advice().is_possible(), "it may come back");
        assert!(asked.elapsed() < Duration::from_secs(10));
        assert_eq!(research.list(&tenant, None, 9).await.unwrap_err().case(), Case::Store);
        server.start_again();
        let fresh = research.start(&tenant, "goal", None).await.expect("the first call after the return works");
        research.step(&tenant, &fresh.id, &NewStep::default()).await.unwrap();
    }
}

#[tokio::test]
async fn a_connection_that_was_lost_meanwhile_costs_nobody_a_fault() {
    let mut server = RedisServer::start();
    let store = RedisStore::new(&Secret::new(server.url())).unwrap();
    let (research, tenant) = (Research::new(std::sync::Arc::new(store), Limits::default()), Tenant::local());
    research.start(&tenant, "goal", None).await.unwrap();
    server.start_again();
    research.start(&tenant, "goal", None).await.expect("the lost connection is replaced");
}
