//! Takes everything from a worker process that reading a document does not need.
//!
//! A parser that was taken over can then compute, and answer on the pipe that it has; it cannot
//! open a file, reach the network, start a program or look at another process. The kernel refuses
//! every system call that is not listed here. A call that is refused fails with an error instead of
//! ending the process, so that a C library that asks for something unusual goes on without it.

/// Confines this process for the rest of its life. Returns whether the system could.
///
/// Call it before any other thread starts: a thread is confined if the one that started it is.
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
pub(super) fn confine() -> bool {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

    let Ok(architecture) = std::env::consts::ARCH.try_into() else {
        return false;
    };
    let filter = SeccompFilter::new(
        NEEDED.iter().map(|call| (*call, Vec::new())).collect(),
        SeccompAction::Errno(libc::EPERM as u32),
        SeccompAction::Allow,
        architecture,
    );
    // Also gives up for ever what a program with special rights would gain.
    filter
        .and_then(BpfProgram::try_from)
        .is_ok_and(|program| apply_filter(&program).is_ok())
}

#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
pub(super) fn confine() -> bool {
    false
}

/// The pipes that are open already, memory, threads, clocks, signals to itself, and the end.
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
const NEEDED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_futex,
    libc::SYS_membarrier,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_prctl,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_tgkill,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];
