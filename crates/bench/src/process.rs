//! Runs one verifier within its limits and measures the resources that it uses.

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Limits of a process.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Wall time, after which the whole process group is killed.
    pub(crate) wall: Duration,
    /// Address space of each process of the group, in bytes.
    pub(crate) memory: Option<u64>,
    /// The processor core on which the process runs; any core if `None`.
    pub(crate) core: Option<usize>,
}

/// The reason why a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The process ended by itself, with a status or by a signal.
    Itself(ExitStatus),
    /// The process was killed at its time limit.
    TimedOut,
    /// The process was killed because the whole run stops.
    Interrupted,
}

/// The result of a process and its resource usage. Processor time includes the children for which the process waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished {
    pub(crate) end: End,
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// Peak resident memory in bytes of the largest single process. Linux counts from before `exec`, so the peak is
    /// never less than the memory that this process itself used.
    pub(crate) memory: u64,
}

/// Kills running process groups at their deadlines, or all at once.
#[derive(Debug, Default)]
pub(crate) struct Supervisor {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: Vec<Running>,
    interrupted: bool,
    closed: bool,
}

#[derive(Debug)]
struct Running {
    group: Pid,
    deadline: Option<Instant>,
    killed: Option<End>,
}

impl Running {
    fn kill(&mut self, reason: End) {
        if self.killed.is_none() {
            self.killed = Some(reason);
            kill_group(self.group);
        }
    }
}

impl Supervisor {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent after every single statement, so a poisoned lock is harmless.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether [`Supervisor::interrupt`] was called.
    pub(crate) fn interrupted(&self) -> bool {
        self.lock().interrupted
    }

    /// Kills all running processes, and all that are started from now on.
    pub(crate) fn interrupt(&self) {
        let mut state = self.lock();
        state.interrupted = true;
        for running in &mut state.running {
            running.kill(End::Interrupted);
        }
    }

    /// Ends [`Supervisor::watch`].
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Kills processes at their deadlines until [`Supervisor::close`] is called. Runs in a separate thread.
    pub(crate) fn watch(&self) {
        let mut state = self.lock();
        while !state.closed {
            let now = Instant::now();
            for running in &mut state.running {
                if running.deadline.is_some_and(|deadline| deadline <= now) {
                    running.kill(End::TimedOut);
                }
            }
            let alive = state.running.iter().filter(|running| running.killed.is_none());
            let next = alive.filter_map(|running| running.deadline).min();
            state = match next {
                Some(deadline) => {
                    let wait = deadline.saturating_duration_since(now);
                    self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Runs a command to its end in its own process group. When this returns, no process of the group is left.
    pub(crate) fn run(&self, mut command: Command, limits: &Limits) -> io::Result<Finished> {
        command.process_group(0);
        confine(&mut command, limits);
        let started = Instant::now();
        let child = command.spawn()?;
        let pid = Pid::from_child(&child);
        {
            let mut state = self.lock();
            // A time limit beyond the range of the clock means no limit.
            let deadline = started.checked_add(limits.wall);
            state.running.push(Running { group: pid, deadline, killed: None });
            if state.interrupted
                && let Some(running) = state.running.last_mut()
            {
                running.kill(End::Interrupted);
            }
        }
        self.changed.notify_all();

        // The process is reaped only when nothing can kill its group any more. Until then its number is not given to
        // another process.
        let exited = wait_for_exit(pid);
        let killed = {
            let mut state = self.lock();
            let position = state.running.iter().position(|running| running.group == pid);
            position.and_then(|position| state.running.swap_remove(position).killed)
        };
        kill_group(pid);
        exited?;
        let wall = started.elapsed();
        let (status, cpu, memory) = reap(pid)?;
        Ok(Finished { end: killed.unwrap_or(End::Itself(status)), wall, cpu, memory })
    }
}

/// Kills all processes of a group. An error means that the group has ended already.
fn kill_group(group: Pid) {
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

/// Makes the child process limit itself before it executes the command.
fn confine(command: &mut Command, limits: &Limits) {
    let memory = limits.memory.map(|bytes| {
        let allowed = rustix::process::getrlimit(Resource::As).maximum;
        let bytes = allowed.map_or(bytes, |allowed| bytes.min(allowed));
        Rlimit { current: Some(bytes), maximum: Some(bytes) }
    });
    #[cfg(target_os = "linux")]
    let core = limits.core.map(|core| {
        let mut set = rustix::thread::CpuSet::new();
        set.set(core);
        set
    });
    let limit_itself = move || {
        // The status already reports a crash, and core dumps would fill the disk.
        rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        if let Some(memory) = memory {
            rustix::process::setrlimit(Resource::As, memory)?;
        }
        #[cfg(target_os = "linux")]
        if let Some(core) = &core {
            rustix::thread::sched_setaffinity(None, core)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec, only async-signal-safe functions may run. The closure makes system calls with
    // values that were prepared before the fork, and converts their error numbers; it neither allocates nor locks.
    unsafe {
        command.pre_exec(limit_itself);
    }
}

/// Waits until the process has ended, without reaping it.
fn wait_for_exit(pid: Pid) -> io::Result<()> {
    loop {
        match rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}

/// Reaps an ended child. Returns its status, its processor time and its peak memory in bytes.
fn reap(pid: Pid) -> io::Result<(ExitStatus, Duration, u64)> {
    let mut status: libc::c_int = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to variables of the types that wait4 writes; the variables outlive the call.
    while unsafe { libc::wait4(pid.as_raw_nonzero().get(), &raw mut status, 0, usage.as_mut_ptr()) } == -1 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: `rusage` consists of integers only, for which all bits zero is a valid value, and it was zeroed above.
    let usage = unsafe { usage.assume_init() };
    let time = |time: libc::timeval| {
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    let memory = u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(unit);
    Ok((ExitStatus::from_raw(status), time(usage.ru_utime) + time(usage.ru_stime), memory))
}

/// One core for each of `jobs` workers. Empty if there are too few cores, or only one worker, which may use all
/// cores.
pub(crate) fn cores(jobs: usize) -> Vec<usize> {
    #[cfg(target_os = "linux")]
    if jobs > 1
        && let Ok(allowed) = rustix::thread::sched_getaffinity(None)
    {
        let cores: Vec<usize> =
            (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).take(jobs).collect();
        if cores.len() == jobs {
            return cores;
        }
    }
    Vec::new()
}
