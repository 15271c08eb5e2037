//! Values of arguments that a client suggests while its user types.

use patterns::library::{CATEGORIES, DIFFICULTIES, Library};

use super::Dispatcher;

impl Dispatcher {
    /// The values of an argument that begin with a text, for the arguments of the pattern tools.
    pub async fn complete(&self, argument: &str, begin: &str) -> Vec<String> {
        if !self.tools().any(|tool| tool.name == "get_pattern") {
            return Vec::new();
        }
        let patterns = self.services.patterns.current().await;
        completions(patterns.library(), argument, begin)
    }
}

fn completions(library: &Library, argument: &str, begin: &str) -> Vec<String> {
    let begin = begin.to_lowercase();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let all: Vec<String> = match argument {
        "category" => words(CATEGORIES),
        "difficulty" => words(DIFFICULTIES),
        "id" => library.all().iter().map(|it| it.id.clone()).collect(),
        _ => Vec::new(),
    };
    let fits = |word: &String| word.starts_with(&begin);
    all.into_iter().filter(fits).collect()
}
