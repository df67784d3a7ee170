"""Pieces of the script, verbatim."""

from studio.ensembles.calibration import SMALLEST

READ_TABLE = '''
def read_table(path):
    """Read a table with every cell as text; what the text means is decided below."""
    return CALL
'''

NUMBER = '''
def number(cells):
    """Cells as numbers; what is not a number becomes missing."""
    values = pd.to_numeric(cells.str.strip(), errors="coerce").astype(float)
    return values.replace([np.inf, -np.inf], np.nan).clip(-1e30, 1e30)
'''

NUMBER_MARKS = '''
def number(cells, decimal=".", thousands=""):
    """Cells as numbers; what is not a number becomes missing."""
    text = cells.str.strip()
    if thousands:
        text = text.str.replace(rf"(?<=\\d)[{thousands}](?=\\d{{3}}(?!\\d))", "", regex=True)
    if decimal != ".":
        text = text.str.replace(decimal, ".", regex=False)
    values = pd.to_numeric(text, errors="coerce").astype(float)
    return values.replace([np.inf, -np.inf], np.nan).clip(-1e30, 1e30)
'''

_LABEL_REST = """
    text = cells.str.strip()
    words = text.replace({r"(?i)^true$": "True", r"(?i)^false$": "False"}, regex=True)
    digits = values.map(lambda v: str(int(v)) if v == int(v) else f"{v:.15g}", "ignore")
    return words.where(values.isna(), digits)
"""

LABEL = (
    '''

def label(cells):
    """Cells as labels: 01 and 1.0 are both 1, TRUE is True, spaces around words are removed."""
    values = number(cells)'''
    + _LABEL_REST
)

LABEL_MARKS = (
    '''

def label(cells, decimal=".", thousands=""):
    """Cells as labels: 01 and 1.0 are both 1, TRUE is True, spaces around words are removed."""
    values = number(cells, decimal, thousands)'''
    + _LABEL_REST
)

_MATRIX = '''
def matrix(table):
    """The columns that the models see: numbers, and codes of categories; NaN where missing."""
    columns = []
    for name in FEATURES:
        if name in LABELS:
            codes = pd.Categorical(LABEL, categories=LABELS[name]).codes
            columns.append(np.where(codes < 0, np.nan, codes))
        else:
            columns.append(NUMBER)
    return np.column_stack(columns).astype(float)
'''

MATRIX = _MATRIX.replace("LABEL,", "label(table[name]),").replace("NUMBER)", "number(table[name]))")

MATRIX_MARKS = _MATRIX.replace(
    "LABEL,", 'label(table[name], *FORMATS.get(name, (".", ""))),'
).replace("NUMBER)", 'number(table[name], *FORMATS.get(name, (".", ""))))')

DATE_PART = '''
def date_part(cells, part, order):
    """A part of dates as a number; what is not a date becomes missing."""
    found = cells.str.extract(DATE_PATTERNS["year-first"])
    if order != "year-first":
        found = found.fillna(cells.str.extract(DATE_PATTERNS[order]))
    found = found.astype(float)
    clock = ["hour", "minute", "second"]
    found[clock] = found[clock].fillna(0)
    dates = pd.to_datetime(found, errors="coerce")
    if part == "days":
        return ((dates - pd.Timestamp(0)) / pd.Timedelta(seconds=1)).round() / 86400
    return getattr(dates.dt, {"weekday": "day_of_week"}.get(part, part))


'''


DATE_PART_SHORT = DATE_PART.replace(
    "    clock =",
    "    # Years of two digits: from 69 on they are of the 20th century.\n"
    '    short = found["year"] < 100\n'
    '    found.loc[short, "year"] += np.where(found["year"][short] < 69, 2000, 1900)\n'
    "    clock =",
)

LIMITED = '''
def limited(name, values):
    """Numbers with those beyond the column's limits missing, or set to the limit."""
    beyond, low, high = LIMITS.get(name, ("limit", -np.inf, np.inf))
    return values.clip(low, high) if beyond == "limit" else values.where(values.between(low, high))


'''

MERGED = '''
def merged(name, labels):
    """Labels with the rare ones merged into one, which comes last."""
    return labels.where(~labels.isin(RARE.get(name, [])), LABELS[name][-1])


'''


def with_treatments(matrix: str, *, numbers: bool, labels: bool) -> str:
    """Return the piece that makes the matrix with odd numbers limited and rare labels merged."""
    for wanted, call, around in ((numbers, "number", "limited"), (labels, "label", "merged")):
        if wanted:
            for cells in ("table[name]", 'table[name], *FORMATS.get(name, (".", ""))'):
                plain = f"{call}({cells})"
                matrix = matrix.replace(plain, f"{around}(name, {plain})")
    return matrix


def with_dates(matrix: str) -> str:
    """Return the piece that makes the matrix with a branch for parts of dates."""
    return matrix.replace(
        "        if name in LABELS:",
        "        if name in DATES:\n"
        "            source, *how = DATES[name]\n"
        "            columns.append(date_part(table[source], *how))\n"
        "        elif name in LABELS:",
    )


MATRIX_NUMBERS = '''
def matrix(table):
    """The columns that the models see; NaN where missing."""
    return np.column_stack([number(table[name]) for name in FEATURES])
'''

MATRIX_NUMBERS_MARKS = MATRIX_NUMBERS.replace(
    "number(table[name])", 'number(table[name], *FORMATS.get(name, (".", "")))'
)

CLASS_CODES = '''
def target(table):
    """The class of every row as its place in CLASSES."""
    names = [str(each) for each in CLASSES]
    return pd.Categorical(label(table[TARGET]), categories=names).codes.astype(int)
'''

VALUES = '''
def target(table):
    """The value of every row."""
    return number(table[TARGET]).to_numpy()
'''

MEMBERS = '''
def members():
    """The members of the ensemble: weight and model, not yet trained."""
    return [
BODY
    ]
'''

TRAIN = '''
def train(table):
    """Train every member on the rows of a table."""
    X, y = matrix(table), target(table)
    return [(weight, model.fit(X, y)) for weight, model in members()]
'''

TRAIN_WEIGHTED = '''
def train(table):
    """Train every member on the rows of a table, which may count more or less."""
    X, y = matrix(table), target(table)
    own = OWN
    trained = []
    for weight, model, kind in members():
        if kind == "none":
            model.fit(X, y)
        else:
            weights = own
            if kind == "balanced":  # every class weighs the same
                totals = np.bincount(CODES, weights=own)
                weights = own * (own.sum() / ((totals > 0).sum() * totals[y]))
            model.fit(X, y, **{f"{model.steps[-1][0]}__sample_weight": weights})
        trained.append((weight, model))
    return trained
'''

VOTE = '''
def shares(ensemble, table):
    """The mean probability of every class, a row of the table each."""
    X = matrix(table)
    return sum(weight * probabilities(model, X) for weight, model in ensemble).round(12)


def votes(ensemble, table):
    """Each class' share of the votes, a row of the table each."""
    X = matrix(table)
    found = np.zeros((len(X), len(CLASSES)))
    for weight, model in ensemble:
        found[np.arange(len(X)), model.predict(X).astype(int)] += weight
    return found.round(12)


def predict(ensemble, table):
    """The class with the most votes; the first one on ties."""
    return np.array(CLASSES)[votes(ensemble, table).argmax(axis=1)]
'''

PROBABILITIES = '''
def probabilities(model, X):
    """A member's probability of every class; a member that only predicts labels is sure."""
    found = np.zeros((len(X), len(CLASSES)))
    if hasattr(model, "predict_proba"):
        found[:, model.classes_.astype(int)] = model.predict_proba(X)
    else:
        found[np.arange(len(X)), model.predict(X).astype(int)] = 1.0
    return found
'''

MEAN_CLASSES = '''
def shares(ensemble, table):
    """The mean probability of every class, a row of the table each."""
    X = matrix(table)
    return sum(weight * probabilities(model, X) for weight, model in ensemble).round(12)


def predict(ensemble, table):
    """The class with the highest mean probability; the first one on ties."""
    return np.array(CLASSES)[shares(ensemble, table).argmax(axis=1)]
'''

TEMPERED_CLASSES = MEAN_CLASSES.replace(
    "The mean probability of every class,",
    "The mean probability of every class, as sure as it is right,",
).replace(
    "    return sum(weight * probabilities(model, X) for weight, model in ensemble).round(12)\n",
    "    mean = sum(weight * probabilities(model, X) for weight, model in ensemble).round(12)\n"
    f"    odds = (mean + {SMALLEST:g}) ** (1 / TEMPERATURE)\n"
    "    return odds / odds.sum(axis=1, keepdims=True)\n",
)

STACK_CLASSES = '''
def shares(ensemble, table):
    """The second level's probability of every class, a row of the table each."""
    X = matrix(table)
    below = np.hstack([probabilities(model, X) for _, model in ensemble])
    scores = below @ COEFFICIENTS.T + INTERCEPTS
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (odds / odds.sum(axis=1, keepdims=True)).round(12)


def predict(ensemble, table):
    """The most probable class; the first one on ties."""
    return np.array(CLASSES)[shares(ensemble, table).argmax(axis=1)]
'''

DECIDED = '''
def predict(ensemble, table):
    """The class to look for, wherever its probability is at least the threshold."""
    wanted = CLASSES.index(LOOKED_FOR)
    flagged = shares(ensemble, table)[:, wanted] >= THRESHOLD
    return np.array(CLASSES)[np.where(flagged, wanted, 1 - wanted)]
'''

MEAN_VALUES = '''
def predict(ensemble, table):
    """The weighted mean of the members' predictions."""
    X = matrix(table)
    return sum(weight * model.predict(X) for weight, model in ensemble)
'''

STACK_VALUES = '''
def predict(ensemble, table):
    """What the second level makes of the members' predictions."""
    X = matrix(table)
    below = np.column_stack([model.predict(X) for _, model in ensemble])
    return (below @ COEFFICIENTS.T + INTERCEPTS)[:, 0]
'''

_MAIN = '''
def main(path, new=None):
    """Train on the rows that the run trained on, test on those that it kept aside."""
    table = read_table(path)
    use = pd.read_csv(Path(__file__).with_name("ROWS_FILE"))["use"].to_numpy()
    ensemble = train(table[use == "train"])
    test = table[use == "test"]
    if len(test):
        found, truth = predict(ensemble, test), TRUTH
        print(f"SCORE on {len(test)} test rows: {ERROR}")
    if new is not None:
        rows = read_table(new)
        rows.assign(prediction=predict(ensemble, rows)).to_csv("predictions.csv", index=False)
        print(f"{len(rows)} predictions are in predictions.csv")


if __name__ == "__main__":
    given = sys.argv[1:] or ["SOURCE"]
    usage = f"usage: python {Path(__file__).name} TABLE [NEW_TABLE]"
    if given[0] in ("-h", "--help"):
        print(usage)
    elif len(given) > 2 or given[0].startswith("-"):
        sys.exit(usage)
    else:
        main(*given)
'''

MAIN_CLASSES = _MAIN.replace("TRUTH", "np.array(CLASSES)[target(test)]").replace(
    "SCORE on {len(test)} test rows: {ERROR}",
    "Error on {len(test)} test rows: {100 * np.mean(found != truth):.2f} %",
)

MAIN_VALUES = _MAIN.replace("TRUTH", "target(test)").replace(
    "SCORE on {len(test)} test rows: {ERROR}",
    "Root mean squared error on {len(test)} test rows: "
    "{np.sqrt(np.mean((found - truth) ** 2)):.5g}",
)


def front(name: str, code: str, *, scaled: bool) -> str:
    """Return the function of what comes before a member."""
    what = "scaled, categories one column each" if scaled else "categories one column each"
    return f'def {name}():\n    """Missing numbers filled in, {what}."""\n    return {code}\n'
