"""The report in a real browser: quiet, alone, and moving with its sliders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_samples import HOSTILE, sample_report

from frugalsvm.report import write_report

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER),
    reason="no chromium and chromedriver on this machine: run 'make browser' to install them",
)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1280,900",
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, sample_report())
    return path.as_uri()


@pytest.fixture
def page(driver: Any, address: str) -> Any:
    driver.get_log("browser")
    driver.get_log("performance")
    driver.get(address)
    return driver


def move(page: Any, slider: str, place: int) -> None:
    page.execute_script(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event('input', {bubbles: true}));",
        slider,
        place,
    )


def text(page: Any, identifier: str) -> str:
    found: str = page.execute_script(
        "return document.getElementById(arguments[0]).textContent.trim()", identifier
    )
    return found


def features(page: Any) -> list[str]:
    found: list[str] = page.execute_script(
        "return [...document.querySelectorAll('#choice-features li')].map(e => e.textContent)"
    )
    return found


def test_console_is_quiet(page: Any) -> None:
    move(page, "tpr-slider", 3)
    assert page.get_log("browser") == []


def test_no_request_leaves_the_page(page: Any, address: str) -> None:
    move(page, "tnr-slider", 3)
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert asked == [address]


def test_a_slider_changes_the_panel(page: Any) -> None:
    move(page, "tpr-slider", 0)
    move(page, "tnr-slider", 0)
    assert text(page, "choice-cost") == "3.10"
    assert features(page) == [HOSTILE[0]]
    move(page, "tpr-slider", 2)
    assert text(page, "choice-cost") == "5.10"
    assert features(page) == list(HOSTILE[:3])
    assert text(page, "tpr-value") == "95%"
    assert "Proved: no set cheaper than 5.10" in text(page, "choice-proof")
    assert text(page, "choice-cv-tpr") == "92.9%"


def test_the_panel_of_tighter_targets_is_offered_at_the_same_cost(page: Any) -> None:
    move(page, "tpr-slider", 0)
    move(page, "tnr-slider", 1)
    assert "TPR 90% and TNR 90%" in text(page, "choice-more")
    assert page.find_element("id", "serving").get_attribute("visibility") == "visible"


def test_targets_that_cannot_be_met(page: Any) -> None:
    move(page, "tpr-slider", 3)
    move(page, "tnr-slider", 3)
    assert text(page, "choice-cost") == "no panel"
    assert text(page, "choice-proof").startswith("Proved: no set of features")
    assert not page.find_element("id", "choice-known").is_displayed()


def test_sliders_begin_at_the_targets_asked_for(page: Any) -> None:
    assert (text(page, "tpr-value"), text(page, "tnr-value")) == ("95%", "90%")


def test_keyboard_and_click_move_the_choice(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    page.find_element("id", "tpr-slider").send_keys(Keys.HOME)
    assert text(page, "tpr-value") == "80%"
    page.execute_script(
        'document.querySelector(\'.cell[data-row="1"][data-column="2"] rect\')'
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert (text(page, "tpr-value"), text(page, "tnr-value")) == ("90%", "95%")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_as_text(page: Any, name: str) -> None:
    shown = page.execute_script(
        "return [...document.querySelectorAll('bdi')].map(e => e.textContent)"
    )
    assert name in shown
    assert page.execute_script("return window.hacked === undefined")


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_is_wider_than_the_screen(page: Any, width: int) -> None:
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    try:
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(page: Any, scheme: str) -> None:
    """Every text against the ground behind it: at least 4.5 to 1 (WCAG AA)."""
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    weak = page.execute_script(
        """
        const luminance = (c) => {
          const [r, g, b] = c.match(/[0-9.]+/g).map(Number).map((v) => v / 255)
            .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = (e) => {
          for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (c !== "rgba(0, 0, 0, 0)") return c;
          }
          return "rgb(255, 255, 255)";
        };
        const texts = [...document.querySelectorAll("body *:not(svg *)")]
          .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
          .filter((e) => e.checkVisibility() && !e.closest("script, noscript"))
          .map((e) => [e, getComputedStyle(e).color, ground(e)]);
        for (const t of document.querySelectorAll(".cell text")) {
          const fill = t.previousElementSibling.getAttribute("fill");
          const c = document.createElement("i");
          const hatch = getComputedStyle(document.querySelector(".hatch-line")).stroke;
          c.style.color = fill.startsWith("#") ? fill : hatch;
          texts.push([t, getComputedStyle(t).fill, c.style.color]);
        }
        return texts.filter(([e, ink, back]) => {
          const [a, b] = [luminance(ink), luminance(back)].sort((x, y) => y - x);
          return (a + 0.05) / (b + 0.05) < 4.5;
        }).map(([e, ink, back]) => `${e.tagName} ${e.textContent.slice(0, 30)} ${ink} ${back}`);
        """
    )
    assert weak == []


def test_print_opens_what_is_folded(page: Any) -> None:
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        height = page.execute_script("return document.querySelector('.columns').offsetHeight")
        assert height > 0
        assert not page.find_element("css selector", ".sliders").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
