//! Classifies system errors by whose fault they are. Every tier and every stage of confinement uses this module.

use std::io;

use rustix::io::Errno;

/// Returns whether the machine lacked something: processes, memory, file descriptors, buffers, or disk space.
pub fn is_shortage(error: &io::Error) -> bool {
    let shortages = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOSPC, Errno::DQUOT];
    Errno::from_io_error(error).is_some_and(|errno| shortages.contains(&errno))
}

/// Returns whether the program is to blame for an error in starting it, because of its path, permissions, format or
/// directory.
///
/// A program is not to blame if the machine lacks something or fails, or if the file is being written at that moment.
/// It is not to blame for an environment that is too large for the system either, because the arena's user sets that.
pub fn is_by_program(error: &io::Error) -> bool {
    let blameless = [Errno::TXTBSY, Errno::IO, Errno::TOOBIG];
    let is_blameless = Errno::from_io_error(error).is_some_and(|errno| blameless.contains(&errno));
    !is_blameless && !is_shortage(error)
}

/// Formats the system's error, with advice if the arena's user can do something about it.
pub fn explained(error: &io::Error) -> String {
    match Errno::from_io_error(error) {
        Some(Errno::MFILE) => format!("{error}: play fewer games at a time, or allow more open files with `ulimit -n`"),
        Some(Errno::AGAIN) => format!(
            "{error}: play fewer games at a time, or allow more processes (`ulimit -u`, `pids.max` of a container or \
             service, `kernel.threads-max`)"
        ),
        Some(Errno::NOMEM) => format!("{error}: play fewer games at a time, or give the machine more memory"),
        Some(Errno::TOOBIG) => format!(
            "{error}: the program's arguments and environment are larger than the system allows; shorten its `command`, \
             its `env` or the variables that its `pass_env` names"
        ),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_blamed_for_its_own_faults_and_not_for_shortages() {
        let by_program = [Errno::NOENT, Errno::ACCESS, Errno::NOEXEC, Errno::NOTDIR, Errno::LOOP, Errno::ISDIR];
        for errno in by_program {
            assert!(is_by_program(&errno.into()) && !is_shortage(&errno.into()), "{errno}");
        }
        assert!(is_by_program(&io::ErrorKind::InvalidInput.into()));
        let lacking =
            [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOSPC, Errno::DQUOT];
        for errno in lacking {
            assert!(!is_by_program(&errno.into()) && is_shortage(&errno.into()), "{errno}");
        }
        for errno in [Errno::TXTBSY, Errno::IO, Errno::TOOBIG] {
            assert!(!is_by_program(&errno.into()) && !is_shortage(&errno.into()), "{errno}");
        }
    }

    #[test]
    fn an_error_comes_with_its_remedy() {
        for (errno, remedy) in [
            (Errno::MFILE, "`ulimit -n`"),
            (Errno::AGAIN, "`ulimit -u`"),
            (Errno::AGAIN, "`pids.max`"),
            (Errno::NOMEM, "memory"),
            (Errno::TOOBIG, "`env`"),
        ] {
            assert!(explained(&errno.into()).contains(remedy), "{errno}");
        }
        assert_eq!(explained(&Errno::NOENT.into()), io::Error::from(Errno::NOENT).to_string());
    }
}
