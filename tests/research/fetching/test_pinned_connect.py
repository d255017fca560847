"""The address that was looked at is the one that is connected to."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.errors import AddressNotAllowed, FetchFailed
from oryn.research.fetching import Fetcher, FetchOptions
from oryn.research.fetching.pinned_connect import CheckedBackend
from tests.conftest import Run
from tests.research.names import Names, Network
from tests.research.server import Site, redirect


def fetcher(site: Site, names: Names, network: Network | None = None, **options: Any) -> Fetcher:
    return Fetcher(FetchOptions(**options), proxies={}, resolve=names, network=network or Network(site))


def test_the_name_stays_in_the_request(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        names, network = Names(["93.184.215.14"]), Network(site)
        site.page("/", "<p>public")
        async with fetcher(site, names, network) as fetching:
            page = await fetching.fetch("http://example.org/")
        assert (page.url, network.connected) == ("http://example.org/", ["93.184.215.14"])
        assert site.requests[0].headers["host"] == "example.org"

    with Site() as site:
        run(main(site))


def test_another_answer_the_second_time_is_never_heard(run: Run[Any]) -> None:
    """DNS rebinding: there is no second question between the look and the connection."""

    async def main(site: Site) -> None:
        names, network = Names(["93.184.215.14"], ["127.0.0.1"]), Network(site)
        site.page("/", "<p>public")
        async with fetcher(site, names, network) as fetching:
            await fetching.fetch("http://example.org/")
            assert (names.requests, network.connected) == (["example.org"], ["93.184.215.14"])
            await fetching.close()  # a new connection asks again, and is looked at again
            with pytest.raises(AddressNotAllowed, match=r"example\.org leads to .* \(this machine\)"):
                await fetching.fetch("http://example.org/")
        assert network.connected == ["93.184.215.14"]

    with Site() as site:
        run(main(site))


@pytest.mark.parametrize("address", ["10.0.0.7", "169.254.169.254", "::1", "::ffff:192.168.0.1", "64:ff9b::a00:1"])
def test_names_that_lead_inside(run: Run[Any], address: str) -> None:
    async def main(site: Site) -> None:
        network = Network(site)
        async with fetcher(site, Names([address]), network) as fetching:
            with pytest.raises(AddressNotAllowed):
                await fetching.fetch("http://inside.example.org/")
        assert network.connected == [] and site.requests == []

    with Site() as site:
        run(main(site))


def test_only_public_addresses_of_a_host_are_tried(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        network = Network(site)
        site.page("/", "<p>public")
        async with fetcher(site, Names(["127.0.0.1", "93.184.215.14"]), network) as fetching:
            await fetching.fetch("http://example.org/")
        assert network.connected == ["93.184.215.14"]

    with Site() as site:
        run(main(site))


@pytest.mark.parametrize("target", ["http://127.1/", "http://localhost/", "http://[::1]/", "http://2130706433/"])
def test_redirects_are_looked_at_too(run: Run[Any], target: str) -> None:
    async def main(site: Site) -> None:
        network = Network(site)
        site.put("/", redirect(target))
        async with fetcher(site, Names(["93.184.215.14"]), network) as fetching:
            with pytest.raises(AddressNotAllowed):
                await fetching.fetch("http://example.org/")
        assert network.connected == ["93.184.215.14"]

    with Site() as site:
        run(main(site))


def test_a_redirect_to_a_name_that_leads_inside(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        site.put("/", redirect("http://inside.example/"))
        async with fetcher(site, Names(["93.184.215.14"], ["192.168.0.1"])) as fetching:
            with pytest.raises(AddressNotAllowed, match=r"inside\.example"):
                await fetching.fetch("http://example.org/")

    with Site() as site:
        run(main(site))


def test_allowed_where_the_user_says_so(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        site.page("/", "<p>intranet")
        async with fetcher(site, Names(["10.0.0.7"]), allow_private=True) as fetching:
            assert (await fetching.fetch("http://wiki.internal/")).status == 200

    with Site() as site:
        run(main(site))


def test_an_address_that_is_dead_or_silent_costs_no_page(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        site.page("/", "<p>here")
        addresses = ["2606:4700::1", "93.184.215.14", "93.184.215.15"]
        network = Network(site, dead=["93.184.215.14"], silent=["2606:4700::1"])
        async with fetcher(site, Names(addresses), network) as fetching:
            assert (await fetching.fetch("http://example.org/")).status == 200
        assert network.connected == addresses

    with Site() as site:
        run(main(site))


def test_no_such_host(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        async with fetcher(site, Names([])) as fetching:
            with pytest.raises(FetchFailed, match="no such host") as raised:
                await fetching.fetch("http://nowhere.example/")
        assert raised.value.again and raised.value.status is None

    with Site() as site:
        run(main(site))


def test_connect_timeout_if_no_address_answers(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        network = Network(site, silent=["93.184.215.14"])
        async with fetcher(site, Names(["93.184.215.14"]), network, connecting=0.05) as fetching:
            with pytest.raises(FetchFailed, match="came about in time") as raised:
                await fetching.fetch("http://example.org/")
        assert raised.value.again

    with Site() as site:
        run(main(site))


def test_the_system_resolver(run: Run[Any]) -> None:
    async def main() -> None:
        with pytest.raises(AddressNotAllowed):
            await CheckedBackend().addresses("localhost", 80)
        found = await CheckedBackend(allow_private=True).addresses("localhost", 80)
        assert {str(each) for each in found} <= {"127.0.0.1", "::1"}

    run(main())


def test_looking_without_asking(run: Run[Any]) -> None:
    async def main(site: Site) -> None:
        async with fetcher(site, Names(["93.184.215.14"], ["10.0.0.1"], [])) as fetching:
            await fetching.check("https://example.org/")
            with pytest.raises(AddressNotAllowed):
                await fetching.check("https://example.org/")
            with pytest.raises(FetchFailed, match="no such host"):
                await fetching.check("https://example.org/")
            with pytest.raises(FetchFailed, match="is not a page of the web"):
                await fetching.check("file:///etc/passwd")
        assert site.requests == []

    with Site() as site:
        run(main(site))
