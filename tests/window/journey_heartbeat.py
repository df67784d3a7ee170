"""Two busy runs with the live plots open, while a timer in the window's thread counts delays."""

import json
from typing import Any

from studio.bench.gui.heartbeat import Heart

BEATS = 300


def play(stage: Any) -> None:
    window, session = stage.window, stage.window.session
    stage.click(stage.button("Open the sample Breast cancer"))
    stage.until(lambda: window.data.ready and not window.data.busy, "the table to be read")
    stage.method("EO-sqm", budget=3000)
    for count in (1, 2):
        stage.click(window.top_bar.run_button)
        stage.until(lambda count=count: len(session.runs.views) == count, "the run")
        stage.until(lambda: len(session.runs.views[-1].trials) >= 5, "its trials")
    heart = stage.do(lambda: Heart(window))
    stage.until(lambda: len(heart.late) >= BEATS, "its beats")
    late = sorted(stage.do(lambda: list(heart.late)))
    trials = sum(len(view.trials) for view in session.runs.views)
    stage.shot("busy")
    for view in list(session.runs.views):
        stage.do(lambda view=view: session.control.ask(view.row.id, "stop"))
    stage.until(
        lambda: all(view.row.state == "stopped" for view in session.runs.views), "the stops"
    )
    told = {
        "beats": len(late),
        "p50_ms": 1000 * late[len(late) // 2],
        "p99_ms": 1000 * late[int(0.99 * len(late))],
        "max_ms": 1000 * late[-1],
        "trials_meanwhile": trials,
    }
    (stage.folder / "heartbeat.json").write_text(json.dumps(told))
    stage.keys("ctrl+q")
