//! A memory of values that depend on the variables of a run. A run asks for the same values at each
//! of its calls.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use crate::variable::{VariableFault, Variables};

/// The most runs that are remembered. The oldest one is forgotten first.
const MOST: usize = 16;

/// The values for the variables of the last runs.
pub(crate) struct Memo<T>(Mutex<Vec<(Variables, Arc<T>)>>);

impl<T> Memo<T> {
    /// Returns the value for some variables, and computes it unless it is known.
    pub(crate) fn get(
        &self,
        variables: &Variables,
        compute: impl FnOnce() -> Result<T, VariableFault>,
    ) -> Result<Arc<T>, VariableFault> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = known.iter().find(|(known, _)| known == variables) {
            return Ok(Arc::clone(value));
        }
        let value = Arc::new(compute()?);
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push((variables.clone(), Arc::clone(&value)));
        Ok(value)
    }
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// A clone begins with nothing.
impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The content is not a part of the policy, so the fingerprint of a policy must not contain it.
impl<T> fmt::Debug for Memo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_computed_once_for_each_run_that_is_remembered() {
        let memo: Memo<usize> = Memo::default();
        let run = |number: usize| Variables::new().with("run", number.to_string());
        let computed = std::cell::Cell::new(0);
        let get = |number: usize| {
            let compute = || {
                computed.set(computed.get() + 1);
                Ok(number)
            };
            *memo.get(&run(number), compute).unwrap()
        };
        for number in [1, 2, 1, 2] {
            assert_eq!(get(number), number);
        }
        assert_eq!(computed.get(), 2);
        for number in 3..=17 {
            get(number);
        }
        assert_eq!(computed.get(), 17);
        assert_eq!((get(2), computed.get()), (2, 17), "16 are remembered");
        assert_eq!((get(1), computed.get()), (1, 18), "the oldest is not");
    }
}
