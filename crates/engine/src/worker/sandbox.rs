//! Takes everything from a worker process that its work does not need.
//!
//! A parser that was taken over can then compute, and answer on the pipe that it has; it cannot
//! open a file, reach the network, start a program or look at another process. The program that
//! recognises text is another's and loads libraries and language data, so it may open files, but
//! only to read them and only where programs are. The kernel refuses every system call that is not listed here. A call that is
//! refused fails with an error instead of ending the process, so that a C library that asks for
//! something unusual goes on without it.

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
pub(super) use filters::{confine, confine_recogniser};

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

#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
pub(super) fn confine_recogniser(_: &std::path::Path, _: &std::path::Path) {}

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod filters {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError,
    };
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter,
    };

    /// Confines this process for the rest of its life. Returns whether the system could.
    ///
    /// Call it before any other thread starts: a thread is confined if the one that started it is.
    pub(in super::super) fn confine() -> bool {
        apply(NEEDED.iter().chain(THREADS).map(always).collect())
    }

    /// Confines this process and the program that it becomes: one process, without network, that
    /// reads what belongs to programs and changes nothing.
    pub(in super::super) fn confine_recogniser(program: &Path, data: &Path) {
        // Kernels before 5.13 cannot limit which files are read.
        let _ = open_only(&folders_of(program, data));
        let mut rules: Rules = NEEDED.iter().chain(PROGRAM).map(always).collect();
        for (call, flags) in OPENING {
            rules.extend(only_to_read(*flags).map(|rule| (*call, vec![rule])));
        }
        rules.extend(only_of_itself().map(|rule| (libc::SYS_prlimit64, vec![rule])));
        apply(rules);
    }

    /// Where programs, their libraries and their data are on all systems that we know of.
    const PROGRAM_FOLDERS: &[&str] = &[
        "/usr",
        "/lib",
        "/lib64",
        "/bin",
        "/opt",
        "/nix/store",
        "/gnu/store",
        "/home/linuxbrew/.linuxbrew",
        "/etc/ld.so.cache",
        "/etc/ld.so.preload",
        "/proc/self",
        "/dev/null",
    ];

    /// The folders that a program reads: those of all programs, its own, and the one of its data.
    fn folders_of(program: &Path, data: &Path) -> Vec<PathBuf> {
        let own = program.canonicalize().ok();
        let given = program.parent().map(Path::to_path_buf);
        let own = own.and_then(|own| Some(own.parent()?.to_path_buf()));
        let common = PROGRAM_FOLDERS.iter().map(PathBuf::from);
        let data = data.is_absolute().then(|| data.to_path_buf());
        common.chain(given).chain(own).chain(data).collect()
    }

    /// Lets this process open nothing but what is in these folders, to read or to run it.
    fn open_only(folders: &[PathBuf]) -> Result<(), RulesetError> {
        let (abi, all) = (ABI::V1, AccessFs::from_all(ABI::V1));
        let mut rules = Ruleset::default().handle_access(all)?.create()?;
        for folder in folders {
            let Ok(file) = PathFd::new(folder) else {
                continue;
            };
            let access = match folder.is_dir() {
                true => AccessFs::from_read(abi),
                false => AccessFs::ReadFile.into(),
            };
            rules = rules.add_rule(PathBeneath::new(file, access))?;
        }
        rules.restrict_self().map(drop)
    }

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    /// Also gives up for ever what a program with special rights would gain.
    fn apply(rules: Rules) -> bool {
        let Ok(architecture) = std::env::consts::ARCH.try_into() else {
            return false;
        };
        let filter = SeccompFilter::new(
            rules,
            SeccompAction::Errno(libc::EPERM as u32),
            SeccompAction::Allow,
            architecture,
        );
        filter
            .and_then(BpfProgram::try_from)
            .is_ok_and(|program| apply_filter(&program).is_ok())
    }

    fn always(call: &i64) -> (i64, Vec<SeccompRule>) {
        (*call, Vec::new())
    }

    /// A rule for calls that open a file: their flags, in the argument of this place, neither allow
    /// writing nor make the file.
    fn only_to_read(flags: u8) -> Option<SeccompRule> {
        let writing = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC;
        let operator = SeccompCmpOp::MaskedEq(writing as u64);
        let condition = SeccompCondition::new(flags, SeccompCmpArgLen::Dword, operator, 0);
        SeccompRule::new(vec![condition.ok()?]).ok()
    }

    /// A rule for calls whose first argument names a process, by zero for the caller.
    fn only_of_itself() -> Option<SeccompRule> {
        let condition =
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0).ok()?;
        SeccompRule::new(vec![condition]).ok()
    }

    /// The pipes that are open already, memory, clocks, signals to itself, and the end.
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

    const THREADS: &[i64] = &[libc::SYS_clone, libc::SYS_clone3];

    /// What a program needs to begin, to find its libraries and to look at directories.
    const PROGRAM: &[i64] = &[
        libc::SYS_execve,
        libc::SYS_newfstatat,
        libc::SYS_statx,
        libc::SYS_faccessat,
        libc::SYS_faccessat2,
        libc::SYS_readlinkat,
        libc::SYS_getcwd,
        libc::SYS_getdents64,
        libc::SYS_pread64,
        libc::SYS_fcntl,
        libc::SYS_dup,
        libc::SYS_dup3,
        libc::SYS_uname,
        libc::SYS_sysinfo,
        libc::SYS_getrusage,
        libc::SYS_times,
        libc::SYS_getuid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getegid,
        libc::SYS_getpgid,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_arch_prctl,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_access,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_stat,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_lstat,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_readlink,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_dup2,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_getpgrp,
    ];

    /// The calls that open files, and which argument has their flags.
    const OPENING: &[(i64, u8)] = &[
        (libc::SYS_openat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
    ];
}
