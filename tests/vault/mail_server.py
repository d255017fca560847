"""A mail server of a test's own: Dovecot, on a free port of this machine, with a certificate of its own."""

from __future__ import annotations

import datetime
import getpass
import imaplib
import ipaddress
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from oryn.vault.mail_settings import MailAccount

DOVECOT = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
USER, PASSWORD = "ann@mail.example", "mail-password-1"
CONFIGURATION = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <{certificate}
ssl_key = <{key}
disable_plaintext_auth = yes
default_login_user = {login}
default_internal_user = {internal}
mail_location = maildir:{mail}
auth_failure_delay = 0
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={mail}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {port}
    ssl = yes
  }}
}}
first_valid_uid = 1
first_valid_gid = 1
"""


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail server of a test")])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files


class MailServer:
    """A running server with one account. `log` is the path of what it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.certificate, key = write_certificate(folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        is_root = os.geteuid() == 0
        # Mail is never root's, and others can't enter the folder of a test.
        self.mail = Path(tempfile.mkdtemp(prefix="mail-"))
        uid, gid = (pwd.getpwnam("dovecot")[2:4]) if is_root else (os.geteuid(), os.getegid())
        os.chown(self.mail, uid, gid)
        text = CONFIGURATION.format(
            folder=folder, certificate=self.certificate, key=key, port=self.port, password=PASSWORD,
            login="dovenull" if is_root else getpass.getuser(), internal="dovecot" if is_root else getpass.getuser(),
            uid=uid, gid=gid, mail=self.mail,
        )  # fmt: skip
        self.configuration = folder / "dovecot.conf"
        self.configuration.write_text(text)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert DOVECOT is not None
        self.process = subprocess.Popen([DOVECOT, "-F", "-c", str(self.configuration)])
        end = time.monotonic() + 20
        while True:
            try:
                self.connect().logout()
                return
            except (OSError, imaplib.IMAP4.error):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text()) from None

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None

    def connect(self) -> imaplib.IMAP4_SSL:
        """A client that is logged in."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        client = imaplib.IMAP4_SSL("127.0.0.1", self.port, ssl_context=context, timeout=10)
        client.login(USER, PASSWORD)
        return client

    def account(self, **changes: object) -> MailAccount:
        settings: dict[str, object] = {"host": "127.0.0.1", "port": self.port, "user": USER, "password": PASSWORD}
        settings["authority"] = str(self.certificate)
        return MailAccount("work", **{**settings, **changes})  # type: ignore[arg-type]

    def deliver(self, *messages: EmailMessage, age: float = 0, folder: str = "INBOX") -> None:
        """Put messages into a folder that came `age` seconds ago."""
        client = self.connect()
        at = imaplib.Time2Internaldate(time.time() - age)
        for each in messages:
            status, _ = client.append(folder, "", at, each.as_bytes())
            assert status == "OK"
        client.logout()

    def clear(self) -> None:
        """Delete all messages."""
        client = self.connect()
        client.select("INBOX")
        client.uid("STORE", "1:*", "+FLAGS", r"(\Deleted)")
        client.expunge()
        client.logout()

    def unread(self) -> int:
        """How many messages are not marked as read."""
        client = self.connect()
        client.select("INBOX", readonly=True)
        _, found = client.uid("SEARCH", "UNSEEN")
        client.logout()
        return len(found[0].split())


@contextmanager
def mail_server(folder: Path) -> Iterator[MailServer]:
    """A server that runs while the block does."""
    server = MailServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.mail)


def message(sender: str, subject: str, text: str, html: str = "") -> EmailMessage:
    """A message to the account."""
    found = EmailMessage()
    found["From"], found["To"], found["Subject"] = sender, USER, subject
    found.set_content(text)
    if html:
        found.add_alternative(html, subtype="html")
    return found
