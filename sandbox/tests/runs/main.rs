//! Runs programs and jobs in the sandbox, as this machine supports it.
#![cfg(test)]

use std::{error::Error, time::Duration};

use toolwright_sandbox::{Confinement, Program, Sandbox, serve};

fn main() -> Result<(), Box<dyn Error>> {
    serve(&[]);
    let rt = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    rt.block_on(async {
        let t = std::time::Instant::now();
        let s = Sandbox::new();
        println!("{:#?} {:?}", s.support()?, t.elapsed());
        let mut c = Confinement::new("/usr");
        c.files = c.files.with_system_programs();
        c.limits.scratch = 1<<20;
        c.limits.time = Duration::from_secs(2);
        for sh in ["echo hello; id; ps ax; ls /proc | head -3; cat /proc/self/status | grep -i -E 'cap|seccomp|NoNew'; echo x > $TMPDIR/a; ls -la $TMPDIR; ulimit -a", "cat /etc/shadow", "ls /root", "sleep 10", "setsid sleep 100 & exit 3", "kill -9 $$", ":(){ :|:& };:; sleep 1"] {
        let run = s.run(&c, &Program::new("/bin/sh", ["-c", sh]), |s, b| { println!("{s:?} {}", String::from_utf8_lossy(b)); }).await;
        println!("{run:?}");
        }
        let n = 200;
        let p = Program::new("/bin/true", [""; 0]);
        let mut times: Vec<_> = Vec::new();
        for _ in 0..n { let t = std::time::Instant::now(); s.run(&c, &p, |_, _| {}).await?; times.push(t.elapsed()); }
        times.sort();
        println!("sandbox {:?}", times[n/2]);
        let mut times: Vec<_> = Vec::new();
        for _ in 0..n { let t = std::time::Instant::now(); tokio::process::Command::new("/bin/true").status().await?; times.push(t.elapsed()); }
        times.sort();
        println!("plain {:?}", times[n/2]);
        Ok(())
    })
}
