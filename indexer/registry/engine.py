"""Opens the registry: one SQLite file, or a PostgreSQL database by URL; hands out connections to read and to write.

Called by the command line, the gateway and the worker. Every failure of the database is a RegistryError, and whoever gets one refuses:
nothing is answered from memory. The only module that knows which database it is.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from indexer.errors import RefusalError, RegistryError
from indexer.registry.versions import check_version, read_version, update_tables
from indexer.resources import expand_home

DEFAULT_FILE = "registry.sqlite"
_SERVER = {
    "connect_timeout": "5",
    "tcp_user_timeout": "10000",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
}
"""A server that the network lost is given up within half a minute, and not after a quarter of an hour; the URL may say otherwise."""
_BEGINS = "registry_begins"
"""Option of a connection: the statement with which its transaction begins in SQLite."""
_ONE_WRITER = 0x627261696E
"""Number of the advisory lock that PostgreSQL's writers take, so that there is one at a time, as in SQLite."""
_WAIT_MS = 5_000
_CACHE_KB = 262_144
"""Of each connection at most, and only as far as it reads: a million grants are 210 MB, and what is not kept costs a read each time."""
_PRAGMAS = (
    f"pragma busy_timeout = {_WAIT_MS}",
    "pragma foreign_keys = on",
    "pragma synchronous = full",
    "pragma trusted_schema = off",
    f"pragma cache_size = -{_CACHE_KB}",
)


def parse_registry_url(text: str) -> URL:
    """Return where the registry is: a URL of SQLite or PostgreSQL, or the path of a file. RegistryError for anything else."""
    if "://" not in text:
        return URL.create("sqlite+pysqlite", database=expand_home(text))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise RegistryError("The address of the registry is not a URL.", hint=_HOW_TO_NAME) from error
    if url.get_backend_name() in {"postgresql", "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite" and url.database:
        return url.set(drivername="sqlite+pysqlite")
    raise RegistryError(f"A registry cannot be kept in {url.get_backend_name()}.", hint=_HOW_TO_NAME)


_HOW_TO_NAME = "Name a file, or a database such as `postgresql://user@host/name`."


def _show(url: URL) -> str:
    """Return the address of a database as people write it, without its password."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


class NoRegistryError(RegistryError):
    """Where the registry should be there is nothing yet."""


class Registry:
    """An open registry. Share one among threads; close it at the end. Connections belong to one thread at a time."""

    def __init__(self, url: URL, *, create: bool = False) -> None:
        """Open what is at `url`; RegistryError when it is missing (unless `create`), unreadable or of a newer program."""
        self.url = url
        self.where = str(url.database) if url.get_backend_name() == "sqlite" else _show(url)
        self.file = Path(str(url.database)).absolute() if url.get_backend_name() == "sqlite" else None
        self.was_emptied = bool(self.file and create and self._create_file(self.file))
        """Whether there was a file with nothing in it: perhaps one that held a registry, before its disk was full."""
        self._identity = self._identify()
        self.engine = self._build_engine()
        self._prepare(create=create)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection on which every statement sees what is committed at that moment, however long it is kept."""
        self._check_file()
        with self._translated(), self.engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT") if self.file is None else connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Give a connection on which all statements see one moment, for lists made of several. Never for a decision: that moment passes."""
        self._check_file()
        with self._translated(), self.engine.connect() as connection:
            fixed = connection.execution_options(**({_BEGINS: "begin"} if self.file else {"isolation_level": "REPEATABLE READ"}))
            with fixed.begin():
                yield fixed

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection with a transaction: committed at the end, undone by any exception. One writer at a time."""
        self._check_file()
        with self._translated(), self.engine.connect() as connection:
            marked = connection.execution_options(**{_BEGINS: "begin immediate"})
            with marked.begin():
                if self.file is None:
                    marked.exec_driver_sql(f"set local lock_timeout = {_WAIT_MS}; select pg_advisory_xact_lock({_ONE_WRITER})")
                yield marked

    def check(self) -> None:
        """Do nothing when the registry can be asked; RegistryError when it cannot."""
        with self.reading() as connection:
            if not check_version(connection):
                raise self._explain_tables(connection)

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()

    def _build_engine(self) -> Engine:
        patience = {name: value for name, value in _SERVER.items() if name not in self.url.query}
        arguments: dict[str, Any] = {"timeout": _WAIT_MS / 1000} if self.file else patience
        try:
            engine = create_engine(self.url, connect_args=arguments, pool_pre_ping=self.file is None, hide_parameters=True)
        except ImportError as error:
            raise RegistryError("A registry in PostgreSQL needs a driver.", hint="Run `pip install 'brainpress[postgres]'`.") from error
        if self.file:
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        return engine

    def _prepare(self, *, create: bool) -> None:
        with self._translated():
            with self.reading() as connection:
                is_current = check_version(connection)
                if not is_current and not create:
                    raise self._explain_tables(connection)
            if self.file:
                self._turn_on_log()
            if not is_current:
                with self.writing() as connection:
                    update_tables(connection)

    def _turn_on_log(self) -> None:
        """Let readers and the writer not wait for each other; the file remembers, but a copy made by `vacuum into` does not have it."""
        with self.engine.connect() as connection:
            if connection.exec_driver_sql("pragma journal_mode").scalar() != "wal":
                connection.exec_driver_sql("pragma journal_mode = wal")

    def _create_file(self, file: Path) -> bool:
        """Make the file, if there is none, for this user's eyes only; its companions get the same mode. True = it lay there empty."""
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except FileExistsError:
                return stat.S_ISREG(file.stat().st_mode) and file.stat().st_size == 0
        except OSError as error:
            raise RegistryError(f"The registry {self.where} cannot be made: {error.strerror}.", hint="Name another file.") from error
        return False

    def _explain_tables(self, connection: Connection) -> RegistryError:
        if read_version(connection) is None:
            return NoRegistryError(f"{self.where} holds no registry yet.", hint=_APPLY)
        return RegistryError(f"The tables of {self.where} are those of an older version.", hint=_APPLY)

    def _identify(self) -> tuple[int, int] | None:
        if self.file is None:
            return None
        try:
            found = self.file.stat()
        except FileNotFoundError as error:
            raise NoRegistryError(f"There is no registry at {self.where}: {error.strerror}.", hint=_APPLY) from error
        except OSError as error:
            raise RegistryError(f"The registry {self.where} may not be read: {error.strerror}.", hint=_PERMISSIONS) from error
        if not stat.S_ISREG(found.st_mode):
            raise RegistryError(f"{self.where} is no file, so it is no registry.", hint="Name the file itself, such as `registry.sqlite`.")
        if not os.access(self.file, os.R_OK):
            raise RegistryError(f"The registry {self.where} may not be read.", hint=_PERMISSIONS)
        return found.st_dev, found.st_ino

    def _check_file(self) -> None:
        """Notice that the file is gone, or is another one: open connections would go on answering from the old one."""
        identity = self._identify()
        if identity != self._identity:
            self.engine.dispose()
            self._identity = identity
            self.check()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            raise RefusalError("That contradicts what the registry holds; nothing was changed.") from error
        except SQLAlchemyError as error:
            raise explain_failure(error, self.where) from error


_PERMISSIONS = "Check the permissions of the file and of the folders above it, and which user runs this."
_APPLY = "Run `brain registry apply` with the folder of your tenants."


def explain_failure(error: Exception, where: str = "the registry") -> RegistryError:
    """Return the RegistryError for what a database raised, without its statement and values."""
    cause = getattr(error, "orig", None) or error
    text = str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__
    if "locked" in text or "lock timeout" in text:
        return RegistryError(f"{where} is locked by another program.", hint="Wait until that is done, and try again.")
    if "disk is full" in text or "disk I/O error" in text or "No space left" in text:
        return RegistryError(f"{where} cannot be used: {text}.", hint="Free some space on its disk, and see whether the disk is sound.")
    if "readonly database" in text:
        return RegistryError(
            f"{where} may not be written.", hint="Run this as the user that owns the file, and see who may write its folder."
        )
    if "not a database" in text or "malformed" in text:
        return RegistryError(f"{where} is damaged or is no registry.", hint="Put its last backup in its place.")
    return RegistryError(f"{where} cannot be used: {text}", hint="Check that it is there and that you may read and write it.")


def _prepare_sqlite(driver: Any, record: object) -> None:  # noqa: ARG001 (SQLAlchemy gives it)
    driver.isolation_level = None  # transactions begin where `writing` says so, and nowhere else
    for pragma in _PRAGMAS:
        driver.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    begins = connection.get_execution_options().get(_BEGINS)
    if begins:
        connection.exec_driver_sql(begins)


def open_registry(text: str, *, create: bool = False) -> Registry:
    """Open the registry at a path or URL."""
    return Registry(parse_registry_url(text), create=create)
