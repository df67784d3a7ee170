"""Journey 6: predictions with their preview, report, script and pickle; both work elsewhere."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from studio.assets import RESOURCES
from studio.gui.pages.results.views.answer import Answer

SAMPLE = RESOURCES / "samples" / "diabetes.csv"
_LOAD = """
import pickle, sys, pandas
model = pickle.load(open(sys.argv[1], "rb"))
ours = any(name.startswith("studio") for name in sys.modules)
print(len(model.predict(pandas.read_csv(sys.argv[2]))), ours)
"""


def play(stage: Any) -> None:
    work = Path(os.environ["STAGE_WORK"])
    window, session = stage.window, stage.window.session
    stage.click(stage.button("Open the sample Diabetes progression"))
    stage.until(lambda: window.data.ready and not window.data.busy, "the table to be read")
    stage.method("RS-post", budget=5)
    stage.click(window.top_bar.run_button)
    stage.until(lambda: session.shown.run and session.shown.run.state == "finished", "the end")
    stage.go("results")
    page = stage.do(lambda: window.page_widget("results"))
    answer = stage.do(lambda: page.views.view(Answer))

    card = page.predicting
    stage.click(card.choose_button)
    stage.choose_file(SAMPLE, "Rows to predict")
    stage.until(card.predict_button.isVisible, "the check of the table")
    stage.click(card.predict_button)
    stage.until(
        lambda: answer.tabs.isTabVisible(1) and card.save_button.isVisible(),
        "the preview",
    )
    assert answer.predictions.isVisible()
    stage.shot("1-preview")

    made = {}
    for key, title, name in (
        ("report", "Report (HTML)", "report.html"),
        ("pickle", "Pickle", "model.pkl"),
        ("script", "Python script", "train.py"),
    ):
        button = page.take_home.buttons[key]
        made[key] = work / name
        stage.do(lambda button=button: page.side.ensureWidgetVisible(button))
        stage.click(button)
        stage.choose_file(made[key], f"Export as {title}")
        stage.until(lambda key=key: made[key].exists() and not page.lane.busy, name)
        stage.pause(0.3)
        stage.shot(f"2-{key}")

    assert "<html" in made["report"].read_text("utf-8").lower()
    told = _run(["-c", _LOAD, str(made["pickle"]), str(SAMPLE)], work)
    assert told.split() == ["442", "False"], told
    _run([made["script"].name, *_script_arguments(made["script"])], work)
    stage.keys("ctrl+q")


def _script_arguments(script: Path) -> list[str]:
    """Return the table where the script wants it named."""
    return [str(SAMPLE)] if "sys.argv" in script.read_text("utf-8") else []


def _run(arguments: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
