//! Which cores lane threads are pinned to.
//!
//! `auto` takes the cores this process may use, in their order, so that a container's mask is
//! respected (R138); with fewer cores than threads nothing is pinned.

use core_affinity::CoreId;

use crate::config::Pin;

/// Shape `[thread]`; shorter (or empty) where threads stay unpinned.
pub(crate) fn cores(pin: &Pin, threads: usize) -> Vec<CoreId> {
    let allowed = core_affinity::get_core_ids().unwrap_or_default();
    choose(pin, threads, &allowed)
}

fn choose(pin: &Pin, threads: usize, allowed: &[CoreId]) -> Vec<CoreId> {
    match pin {
        Pin::Off => Vec::new(),
        Pin::Auto if allowed.len() < threads => Vec::new(),
        Pin::Auto => allowed.iter().copied().take(threads).collect(),
        Pin::Cores(cores) => {
            let again = cores.iter().cycle().take(threads);
            again.map(|&id| CoreId { id }).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R138: threads go to the cores of the mask, not to 0..N.
    #[test]
    fn r138_the_affinity_mask_is_respected() {
        let allowed = [CoreId { id: 2 }, CoreId { id: 3 }];
        assert_eq!(choose(&Pin::Auto, 2, &allowed), allowed);
        assert_eq!(choose(&Pin::Auto, 1, &allowed), allowed[..1]);
    }

    #[test]
    fn a_list_begins_again_where_there_are_more_threads() {
        let pin = Pin::Cores(vec![4, 6]);
        let ids: Vec<usize> = choose(&pin, 3, &[]).iter().map(|core| core.id).collect();
        assert_eq!(ids, [4, 6, 4]);
        assert_eq!(choose(&pin, 1, &[]), [CoreId { id: 4 }]);
    }

    #[test]
    fn too_few_cores_pin_nothing() {
        assert_eq!(choose(&Pin::Auto, 3, &[CoreId { id: 0 }]), []);
        assert_eq!(choose(&Pin::Off, 1, &[CoreId { id: 0 }]), []);
    }
}
