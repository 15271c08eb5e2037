//! Masking as its users see it: what must go, what must stay, and what must hold for any text.
#![allow(clippy::unwrap_used)]

mod beside;
mod corpus;
mod keep;
mod keep_again;
mod keep_places;
mod made;
mod plant;
mod plant_again;
mod plant_places;
mod plant_stays;
mod properties;
mod shapes;
mod third;
