//! The rules of each case: one row per case, with every number and condition that is its own.

use std::ops::RangeInclusive;

use fault::Case;

use super::conditions::{always, is_captcha, is_consent_wall, is_login_wall, is_paywall};
use super::page::Zone;
use super::scoring::{Inputs, Score};
use super::shape;

/// What a page must be like to be judged this case.
pub(super) struct CaseRules {
    pub(super) case: Case,
    /// Statuses that support the case.
    pub(super) statuses: &'static [RangeInclusive<u16>],
    /// The most other prose beside the notice, where no vendor's machinery proves the case.
    pub(super) most_other_prose: usize,
    /// The most other prose where only the title or only a heading names the case.
    pub(super) most_beside_one_label: usize,
    /// Points taken off where cases compete: a general case gives way to one that says why.
    pub(super) handicap: i32,
    /// Points taken off where a heading names another subject.
    pub(super) subject_penalty: i32,
    /// The most points that a subject of the page's own can take off.
    pub(super) most_penalty: i32,
    /// The site refuses this visitor. Such cases share their words.
    pub(super) is_refusal: bool,
    /// The page is the notice and nothing else, unlike a wall in front of a text.
    pub(super) is_notice: bool,
    /// The page keeps the subject of the content that it stands before.
    pub(super) keeps_subject: bool,
    /// Its labels are also names of other things, such as films and songs.
    pub(super) is_name: bool,
    /// A page that names three kinds of failure lists them and is none of them.
    pub(super) fails_in_lists: bool,
    /// Dialogs over the page may say it.
    pub(super) in_overlays: bool,
    /// Blocks that only hint at it belong to the notice all the same.
    pub(super) owns_hints: bool,
    /// A word pair counts on a tiny page even when the page does not speak to a reader. Its words
    /// are only said of pages and domains; roads are closed and shows cancelled, too.
    pub(super) needs_no_reader: bool,
    /// One pair of words is not enough: doors and machines are closed and maintained too.
    pub(super) needs_two_pairs: bool,
    /// The notice may say how long to wait.
    pub(super) names_wait: bool,
    /// Adds points for the shape of the page.
    pub(super) shape: fn(&mut Score, &Inputs<'_>),
    /// A condition of its own that must hold beside the points.
    pub(super) condition: fn(&Score, &Inputs<'_>) -> bool,
}

/// A notice like any other; the rows below say where they differ.
const NOTICE: CaseRules = CaseRules {
    case: Case::JsShell,
    statuses: &[],
    most_other_prose: usize::MAX,
    most_beside_one_label: 200,
    handicap: 0,
    subject_penalty: 2,
    most_penalty: i32::MAX,
    is_refusal: false,
    is_notice: true,
    keeps_subject: false,
    is_name: false,
    fails_in_lists: true,
    in_overlays: false,
    owns_hints: false,
    needs_no_reader: false,
    needs_two_pairs: false,
    names_wait: false,
    shape: shape::none,
    condition: always,
};

const REFUSAL: CaseRules = CaseRules {
    is_refusal: true,
    owns_hints: true,
    most_other_prose: 700,
    ..NOTICE
};

/// The cases that get points, in order of precedence where points are equal.
pub(super) static RULES: &[CaseRules] = &[
    CaseRules {
        case: Case::Captcha,
        statuses: &[202..=202, 403..=403, 405..=406, 429..=429, 500..=599],
        most_other_prose: 250,
        is_name: true,
        in_overlays: true,
        shape: shape::captcha,
        condition: is_captcha,
        ..REFUSAL
    },
    CaseRules {
        case: Case::BotChallenge,
        statuses: &[202..=202, 403..=403, 405..=406, 429..=429, 500..=599],
        is_name: true,
        shape: shape::bot_challenge,
        ..REFUSAL
    },
    CaseRules {
        case: Case::LegalBlock,
        statuses: &[403..=403, 451..=451],
        needs_no_reader: true,
        ..REFUSAL
    },
    CaseRules {
        case: Case::GeoBlock,
        statuses: &[403..=403, 451..=451],
        most_other_prose: 400,
        keeps_subject: true,
        in_overlays: true,
        ..REFUSAL
    },
    CaseRules {
        case: Case::RateNotice,
        statuses: &[429..=429, 500..=599],
        most_other_prose: 500,
        is_name: true,
        names_wait: true,
        ..REFUSAL
    },
    CaseRules {
        case: Case::Parked,
        statuses: &[404..=404, 410..=410],
        most_other_prose: 1_500,
        owns_hints: true,
        needs_no_reader: true,
        ..NOTICE
    },
    CaseRules {
        case: Case::DefaultPage,
        statuses: &[404..=404, 410..=410],
        owns_hints: true,
        needs_no_reader: true,
        ..NOTICE
    },
    CaseRules {
        case: Case::Maintenance,
        statuses: &[500..=599],
        most_other_prose: 700,
        is_name: true,
        needs_two_pairs: true,
        names_wait: true,
        ..NOTICE
    },
    CaseRules {
        case: Case::ErrorPage,
        statuses: &[500..=599],
        most_other_prose: 700,
        handicap: 1,
        is_name: true,
        ..NOTICE
    },
    CaseRules {
        case: Case::AccessDenied,
        statuses: &[202..=202, 403..=403, 405..=406],
        handicap: 3,
        is_name: true,
        needs_two_pairs: true,
        ..REFUSAL
    },
    CaseRules {
        case: Case::Paywall,
        statuses: &[401..=402],
        most_beside_one_label: 500,
        most_penalty: 2,
        is_notice: false,
        keeps_subject: true,
        fails_in_lists: false,
        in_overlays: true,
        shape: shape::paywall,
        condition: is_paywall,
        ..NOTICE
    },
    CaseRules {
        case: Case::LoginWall,
        statuses: &[401..=401, 403..=403],
        most_other_prose: 700,
        most_beside_one_label: 100,
        is_notice: false,
        keeps_subject: true,
        in_overlays: true,
        shape: shape::login_wall,
        condition: is_login_wall,
        ..NOTICE
    },
    CaseRules {
        case: Case::ConsentWall,
        most_other_prose: 600,
        is_notice: false,
        keeps_subject: true,
        fails_in_lists: false,
        in_overlays: true,
        owns_hints: true,
        shape: shape::consent_wall,
        condition: is_consent_wall,
        ..NOTICE
    },
    CaseRules {
        case: Case::Soft404,
        statuses: &[404..=404, 410..=410],
        most_other_prose: 1_500,
        handicap: 2,
        subject_penalty: 1,
        is_name: true,
        needs_no_reader: true,
        shape: shape::soft_404,
        ..NOTICE
    },
];

/// The rules of a case. Those of a script shell, which gets no points, are a notice's.
pub(super) fn rules(case: Case) -> &'static CaseRules {
    RULES
        .iter()
        .find(|rules| rules.case == case)
        .unwrap_or(&NOTICE)
}

impl CaseRules {
    /// Whether text in this part of a page may name the case.
    pub(super) fn may_stand_in(&self, zone: Zone) -> bool {
        match zone {
            Zone::Main => true,
            Zone::Overlay => self.in_overlays,
            Zone::Consent => self.case == Case::ConsentWall,
            Zone::Chrome | Zone::Hidden => false,
        }
    }
}
