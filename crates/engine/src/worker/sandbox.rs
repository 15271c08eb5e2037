//! Takes everything from a worker process that its work does not need.
//!
//! A parser that was taken over can then compute, and answer on the pipe that it has; it cannot
//! open a file, use one that it inherited, reach the network, start a program or a process, or look
//! at another process or signal it. The program that recognises text is another's and loads
//! libraries and language data, so it may open files, but only to read them and only where programs
//! are. The kernel refuses every system call that is not listed here, and some that are listed but
//! for the arguments that are needed. A call that is refused fails with an error instead of ending
//! the process, so that a C library that asks for something unusual goes on without it.

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
    use seccompiler::SeccompCmpOp::{self, Eq, Le, MaskedEq};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter, SeccompRule,
        apply_filter,
    };

    /// Confines this process for the rest of its life. Returns whether the system could.
    ///
    /// Call it before any other thread starts: a thread is confined if the one that started it is.
    pub(in super::super) fn confine() -> bool {
        let mut rules: Rules = NEEDED.iter().map(always).collect();
        rules.extend(needed_in_part());
        rules.extend([
            only_if(libc::SYS_read, &[(0, Eq, STDIN)]),
            only_if(libc::SYS_readv, &[(0, Eq, STDIN)]),
            only_if(libc::SYS_mmap, &[(3, MaskedEq(NO_FILE), NO_FILE)]),
            only_if(libc::SYS_clone, &[(0, MaskedEq(THREAD), THREAD)]),
            // The other filter refuses it.
            always(&libc::SYS_clone3),
        ]);
        there_is_no(libc::SYS_clone3) && apply(rules)
    }

    /// Confines this process and the program that it becomes: one process, without network, that
    /// reads what belongs to programs and changes nothing.
    pub(in super::super) fn confine_recogniser(program: &Path, data: &Path) {
        // Kernels before 5.13 cannot limit which files are read.
        let _ = open_only(&folders_of(program, data));
        let mut rules: Rules = NEEDED.iter().chain(PROGRAM).map(always).collect();
        rules.extend(needed_in_part());
        for (call, flags) in OPENING {
            rules.extend([only_if(*call, &[(*flags, MaskedEq(WRITING), 0)])]);
        }
        rules.extend([
            // Of itself, not of another process.
            only_if(libc::SYS_prlimit64, &[(0, Eq, 0)]),
            // Others of its commands have the system send a signal to any process.
            only_if(
                libc::SYS_fcntl,
                &[(1, Le, LAST_PLAIN_COMMAND), (1, Eq, DUPLICATE)],
            ),
        ]);
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

    /// What both processes need, but not with all arguments: to write to the pipes that they were
    /// started with, to abort, and to name a thread.
    fn needed_in_part() -> [(i64, Vec<SeccompRule>); 4] {
        let own = u64::from(std::process::id());
        [
            only_if(libc::SYS_write, &[(0, Le, STDERR)]),
            only_if(libc::SYS_writev, &[(0, Le, STDERR)]),
            only_if(libc::SYS_tgkill, &[(0, Eq, own)]),
            only_if(libc::SYS_prctl, &[(0, Eq, libc::PR_SET_NAME as u64)]),
        ]
    }

    /// Also gives up for ever what a program with special rights would gain.
    fn apply(rules: Rules) -> bool {
        let refuse = SeccompAction::Errno(libc::EPERM as u32);
        install(rules, refuse, SeccompAction::Allow)
    }

    /// Answers this call as a kernel does that does not know it. The flags of `clone3` are in memory,
    /// where no filter can look, and C libraries that do not find it use `clone`.
    fn there_is_no(call: i64) -> bool {
        let refuse = SeccompAction::Errno(libc::ENOSYS as u32);
        install([always(&call)].into(), SeccompAction::Allow, refuse)
    }

    /// Adds a filter to those that this process has: the strictest of them decides.
    fn install(rules: Rules, others: SeccompAction, listed: SeccompAction) -> bool {
        let Ok(architecture) = std::env::consts::ARCH.try_into() else {
            return false;
        };
        let filter = SeccompFilter::new(rules, others, listed, architecture);
        filter
            .and_then(BpfProgram::try_from)
            .is_ok_and(|program| apply_filter(&program).is_ok())
    }

    fn always(call: &i64) -> (i64, Vec<SeccompRule>) {
        (*call, Vec::new())
    }

    /// A call that is allowed if one of its arguments, by its place, compares like this. All of them
    /// are 32 bits long for the kernel, or have their flags there.
    fn only_if(call: i64, allowed: &[(u8, SeccompCmpOp, u64)]) -> (i64, Vec<SeccompRule>) {
        // A call without rules would always be allowed, so a rule that cannot be made ends the process.
        let rules = allowed.iter().map(|(place, operator, value)| {
            let length = SeccompCmpArgLen::Dword;
            let condition = SeccompCondition::new(*place, length, operator.clone(), *value)
                .expect("the places are constants, and a call has so many arguments");
            SeccompRule::new(vec![condition]).expect("it has a condition")
        });
        (call, rules.collect())
    }

    const STDIN: u64 = 0;
    const STDERR: u64 = 2;
    const NO_FILE: u64 = libc::MAP_ANONYMOUS as u64;
    /// What makes a thread of this process and not another process.
    const THREAD: u64 = (libc::CLONE_VM | libc::CLONE_THREAD) as u64;
    const WRITING: u64 = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u64;
    /// The commands up to it copy a descriptor or ask for its flags.
    const LAST_PLAIN_COMMAND: u64 = libc::F_GETFL as u64;
    const DUPLICATE: u64 = libc::F_DUPFD_CLOEXEC as u64;

    /// Memory, clocks, the answers to signals, and the end.
    const NEEDED: &[i64] = &[
        libc::SYS_close,
        libc::SYS_fstat,
        libc::SYS_lseek,
        libc::SYS_brk,
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
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_getrandom,
        libc::SYS_getpid,
        libc::SYS_getppid,
        libc::SYS_gettid,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    /// What a program needs to begin, to find its libraries and to look at directories.
    const PROGRAM: &[i64] = &[
        libc::SYS_execve,
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_mmap,
        libc::SYS_newfstatat,
        libc::SYS_statx,
        libc::SYS_faccessat,
        libc::SYS_faccessat2,
        libc::SYS_readlinkat,
        libc::SYS_getcwd,
        libc::SYS_getdents64,
        libc::SYS_pread64,
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
