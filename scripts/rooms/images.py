"""The images as pods that a cluster restricts: the seccomp profile that engines have by default, no user namespaces;
another user; volumes as clusters make them; 64 MB of shared memory; no privileges, and a root that can't be written to.

Podman runs them. A machine that reaches no registry gets a base image that debootstrap makes.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scripts.rooms.step import CERTIFICATES, PROJECT, SEARCH_PATH, Step, debian_mirror

ALLOWED = PROJECT / "containers" / "seccomp.json"
_NAMESPACE_FLAGS = 0x7E020000
"""The flags of clone(2) that make namespaces."""
# Cgroups need a system that manages them, and a limit that is higher than this machine's can't be set.
_LIMITS = ("--cgroups=disabled", "--ulimit=nofile=1024:4096", "--ulimit=nproc=4096:4096", "--network=none")
_RESTRICTED = ("--cap-drop=ALL", "--security-opt=no-new-privileges", "--read-only", "--tmpfs=/tmp", "--shm-size=64m")
LONG = "goto \"data:text/html,<title>Long</title><body style='height:11600px;background:linear-gradient(red,blue)'>\"\n"


def steps(folder: Path) -> Iterator[Step]:
    """Build the images, and run them as pods."""
    folder.mkdir(parents=True, exist_ok=True)
    without_namespaces = folder / "without-namespaces.json"
    without_namespaces.write_text(json.dumps(default_profile()), "utf-8")
    for image in ("headless", "daemon"):
        yield from _build(image)

    def pod(
        name: str,
        says: str,
        volume: Path | None,
        *options: str,
        profile: Path | None = ALLOWED,
        text: str = LONG,
        command: Sequence[str] = (),
    ) -> Step:
        words = [*_RESTRICTED, *options]
        words += [] if profile is None else [f"--security-opt=seccomp={profile}"]
        words += [] if volume is None else [f"--volume={volume}:/data"]
        run = podman("run", "--rm", "--interactive", *words, "oryn-headless", *command)
        return Step(name, run, says=says, text=text, code=None)

    def volume(name: str, owner: int, group: int, mode: int) -> Path:
        made = folder / name
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        os.chown(made, owner, group)
        made.chmod(mode)
        return made

    group = volume("fs-group", 0, 1000, 0o2775)
    refusal = r"sandbox needs user namespaces(.|\n)*containers/seccomp\.json.*ORYN_SANDBOX=off"
    yield pod("no user namespaces: an error with two ways out", refusal, group, profile=without_namespaces)
    off = ("--env=ORYN_SANDBOX=off",)
    yield pod("no user namespaces, sandbox off", "ok goto", group, *off, profile=without_namespaces)
    yield pod("the profile of this project: a sandbox", "ok goto", group)
    yield pod("the engine's own profile", f"ok goto|{refusal}", group, profile=None)
    yield pod("doctor tries the sandbox", r"sandbox +ok", group, "--entrypoint=oryn", command=["doctor"])
    picture = LONG + "screenshot --full-page --output /data/oryn/long.png\n"
    yield pod("64 MB of shared memory: a picture of 11,600 pixels", "ok screenshot", group, text=picture)
    yield pod("an unknown user in group 0", "ok goto", volume("group-0", 0, 0, 0o2775), "--user=12345:0")
    yield pod("an unknown user without a volume", "ok goto", None, "--user=12345:0", "--tmpfs=/data:mode=1777")
    yield pod("a volume of root: an error with the way out", r"chown 1000 /data.*fsGroup", volume("root", 0, 0, 0o755))
    yield from _killed(volume("killed", 0, 1000, 0o2775))


def _killed(volume: Path) -> Iterator[Step]:
    """A daemon that is killed, and started again with its volume."""
    name = f"oryn-room-{os.getpid()}"
    options = [*_RESTRICTED, f"--security-opt=seccomp={ALLOWED}", f"--volume={volume}:/data", f"--name={name}"]
    start = podman("run", "--detach", "--rm", "--replace", *options, "oryn-daemon")
    page = "data:text/html,<title>Kept</title>"
    once_ready = 'for _ in $(seq 100); do oryn daemon status >/dev/null && break; sleep 0.1; done; exec oryn "$@"'

    def verb(*words: str) -> Sequence[str]:
        return podman("exec", name, "sh", "-c", once_ready, "sh", *words)

    try:
        yield Step("the daemon starts as a restricted pod", start)
        yield Step("its session opens a page", verb("goto", page), says="ok goto")
        yield Step("SIGKILL", podman("kill", "--signal=KILL", name))
        subprocess.run(podman("wait", name), capture_output=True)
        yield Step("it starts again with the same volume", start)
        yield Step("its session is back", verb("title"), says="Kept")
        yield Step("SIGTERM ends it", podman("stop", "--time=5", name))
    finally:
        subprocess.run(podman("rm", "--force", name), capture_output=True)


def default_profile() -> dict[str, Any]:
    """The project's profile without what it adds for the sandbox, as the default ones of container engines are: `clone`
    without namespaces, and no `clone3`, of which seccomp can't see the flags."""
    profile = json.loads(ALLOWED.read_text("utf-8"))
    _, others = profile["syscalls"]
    masked = {"index": 0, "value": _NAMESPACE_FLAGS, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    clone = {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [masked]}
    clone3 = {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS}
    return {**profile, "defaultErrnoRet": errno.EPERM, "syscalls": [others, clone, clone3]}


def _build(image: str) -> Iterator[Step]:
    file = PROJECT / "containers" / image / "Containerfile"
    bases = dict.fromkeys(re.findall(r"^FROM (\S+)", file.read_text("utf-8"), re.MULTILINE))
    for base in bases:
        if subprocess.run(["podman", "pull", "--quiet", base], capture_output=True).returncode:
            yield from _stand_in(base)
    settings = [f"--volume={each}:{each}:ro" for each in ("/etc/pip.conf",) if Path(each).is_file()]
    options = ["--isolation=chroot", "--pull=never", *settings, f"--file={file}", f"--tag=oryn-{image}", str(PROJECT)]
    yield Step(f"the image {image}", ["podman", "build", "--format", "docker", "--quiet", *options])


def _stand_in(base: str) -> Iterator[Step]:
    """Debian with its own Python in the place of a base image, once."""
    if subprocess.run(["podman", "image", "exists", base]).returncode == 0:
        return
    suite = re.findall(r"bookworm|trixie|forky", base)[0]
    script = f"""
set -e
top=$(mktemp -d)
trap 'rm -rf --one-file-system "$top"' EXIT
debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates {suite} "$top" {debian_mirror()}
ln -sf python3 "$top/usr/bin/python"
cp {CERTIFICATES} "$top{CERTIFICATES}"
cp /etc/resolv.conf "$top/etc/"
tar -c -C "$top" . | podman import --change ENV=PATH={SEARCH_PATH} - {base}
"""
    yield Step(f"a stand-in for {base}", ["sh", "-c", script])


def podman(*words: str) -> Sequence[str]:
    """A command of Podman. Without a system that manages cgroups, it runs where none are seen: crun takes either all of
    version 2, or none."""
    command = ["podman", *words[:1], *(_LIMITS if words[0] == "run" else ()), *words[1:]]
    if not Path("/sys/fs/cgroup/unified").is_dir():
        return command
    hidden = 'umount --recursive --lazy /sys/fs/cgroup && mount -t tmpfs none /sys/fs/cgroup && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", hidden, "sh", *command]
