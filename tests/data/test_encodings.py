import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.data.encodings import ENCODINGS, decode
from studio.errors import DataError
from tests.facts import about

WESTERN = "name,größe\nMüller,1\nCafé,2\nSeñor,3\n"
JAPANESE = "名前,値\nさくら,1\nたなか,2\nカタカナ,3\n東京,4\n"
TABLE = "city,value\nParis,1\nRome,2\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", [WESTERN, JAPANESE])
def test_unicode_is_recognised_with_and_without_bom(encoding, text):
    decoded = decode(text.encode(encoding), "t.csv")
    assert decoded.text == text
    assert decoded.notes == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [TABLE, WESTERN, "名前,値\nさくら,1\nたなか,2\n"])
def test_utf16_without_bom_is_recognised_by_nul_bytes(encoding, text):
    decoded = decode(text.encode(encoding), "t.csv")
    assert decoded.text == text
    assert decoded.encoding == encoding
    assert "byte" in decoded.evidence


def test_western_bytes_are_read_as_cp1252():
    decoded = decode(WESTERN.encode("cp1252"), "t.csv")
    assert decoded.text == WESTERN
    assert decoded.encoding == "cp1252"


@pytest.mark.parametrize(
    "text",
    ["prénom,âge\nRené,1\nÉlodie été,2\n", "price,“quote”\n5 €,a – b\n", "straße,öl\nÄÖÜ,äöüß\n"],
)
def test_western_letters_are_not_read_as_japanese(text):
    assert decode(text.encode("cp1252"), "t.csv").text == text


@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("encoding", ["mac-roman", "cp850"])
@pytest.mark.parametrize(
    "text",
    [
        "größe,stadt\n1,Köln\n2,Bär\n3,Grün\n",
        "ville,âge\nGenève,1\nZürich,2\nNeuchâtel,3\nBâle,4\n",
        "año,ciudad\n2020,Málaga\n2021,Cádiz\n2022,Logroño\n",
    ],
    ids=["German", "French", "Spanish"],
)
def test_old_western_encodings_are_read_with_note(encoding, text, rows):
    decoded = decode((text * rows).encode(encoding), "t.csv")
    assert (decoded.encoding, decoded.text) == (encoding, text * rows)
    assert "cp1252" in [each.encoding for each in decoded.likely]


def test_replacement_characters_raise_question():
    decoded = decode("a\nsk\xa4n\nk\xa4n\nœ—x\n".encode("cp1252"), "t.csv")
    assert decoded.uncertainty_note


def test_russian_words_are_not_read_as_japanese():
    text = "n,город\n" + "1,да конечно\n2,нет спасибо\n" * 9
    assert decode(text.encode("koi8-r"), "t.csv").encoding != "cp932"


@pytest.mark.parametrize("text", [JAPANESE, "県,数\n東京,1\n大阪,2\n京都,3\n"])
def test_shift_jis_is_recognised_by_its_characters(text):
    decoded = decode(text.encode("cp932"), "t.csv")
    assert decoded.text == text
    assert "Shift-JIS" in decoded.evidence


def test_undefined_bytes_of_cp1252_are_accepted():
    decoded = decode(b"a,b\ncaf\xe9,\x81\n", "t.csv")
    assert decoded.text.startswith("a,b\ncafé,")


def test_mixed_encodings_keep_utf8_and_repair_others():
    data = "Zürich,Genève,Köln,Málaga\n".encode() + "Besançon\n".encode("cp1252")
    decoded = decode(data, "t.csv")
    assert decoded.text == "Zürich,Genève,Köln,Málaga\nBesançon\n"
    assert "1 byte " in decoded.notes[0]


def test_few_nul_bytes_are_skipped_with_note():
    decoded = decode(b"a,b\n" + b"1,2\n" * 500 + b"3\x00,4\n", "t.csv")
    assert "\x00" not in decoded.text
    assert "1 NUL character," in decoded.notes[0]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_binary_file_is_rejected_under_any_name(seed):
    noise = np.random.default_rng(seed).integers(0, 256, 20_000, dtype=np.uint8).tobytes()
    with pytest.raises(DataError, match="binary", check=about(name="'data.csv'")):
        decode(noise, "data.csv")


def test_file_of_nul_bytes_is_rejected_as_binary():
    with pytest.raises(DataError, match="binary"):
        decode(bytes(5000), "data.csv")


def test_wrong_specified_encoding_is_reported_with_position():
    with pytest.raises(DataError, check=about(encoding="utf-8", bad="e9", start=3)):
        decode("caf\u00e9".encode("cp1252"), "t.csv", "utf-8")


@pytest.mark.parametrize("name", ["klingon", "base64", "unicode_escape", ""])
def test_unknown_encoding_error_lists_known_encodings(name):
    with pytest.raises(DataError, match=": utf-8", check=about(encoding=repr(name))):
        decode(b"a", "t.csv", name)


def test_encodings_are_found_by_aliases():
    assert decode("①か".encode("cp932"), "t.csv", "Shift-JIS").text == "①か"
    assert decode(b"\xe9", "t.csv", "latin-1").text == "é"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_offered_encoding_decodes_ascii(encoding):
    assert decode(TABLE.encode(encoding), "t.csv", encoding).text == TABLE


@pytest.mark.slow
@given(st.binary(max_size=400))
def test_any_bytes_are_decoded_or_rejected(data):
    try:
        assert "\x00" not in decode(data, "t.csv").text
    except DataError as error:
        assert str(error).endswith(".")


WORDS = {
    "cp1251": "имя Москва Казань Иванов зелёный мужчина",
    "koi8-r": "имя Москва Казань Иванов зелёный мужчина",
    "euc-jp": "名前 東京 大阪 さくら カタカナ 会社員",
    "big5": "姓名 臺北 高雄 學生 紅色 陳先生",
    "gb18030": "姓名 北京 上海 学生 红色 陈先生",
    "euc-kr": "이름 서울 부산 학생 빨강 여자",
    "cp1253": "όνομα Αθήνα Θεσσαλονίκη γυναίκα σπίτι ηλικία",
    "cp1256": "اسم القاهرة دمشق امرأة أحمر مدينة",
}


@pytest.mark.parametrize("rows", [8, 300])
@pytest.mark.parametrize("encoding", WORDS)
def test_other_scripts_are_decoded_with_finding(encoding, rows):
    head, *words = WORDS[encoding].split()
    text = f"id,{head},x\n" + "".join(f"{i},{words[i % 5]},{i / 7:.3f}\n" for i in range(rows))
    decoded = decode(text.encode(encoding), "t.csv")
    assert decoded.text == text
    assert decoded.encoding == encoding
    assert encoding in decoded.evidence


POLISH = "id,miasto\n" + "1,Łódź\n2,Gdańsk\n3,Częstochowa\n4,Poznań\n5,Kraków\n"


def test_uncertain_encodings_are_offered_with_examples():
    decoded = decode(POLISH.encode("cp1250"), "t.csv")
    assert decoded.encoding == "cp1250"
    assert "cp1252" in [each.encoding for each in decoded.likely]
    assert decoded.notes == (decoded.uncertainty_note,)
    assert "Łódź" in decoded.uncertainty_note
    assert decode(POLISH.encode("cp1250"), "t.csv", "cp1250").notes == ()


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1250", "stan,n\nbłąd,1\nbrak błędu,2\n"),
        ("cp1250", "město,n\nPlzeň,1\nČáslav,2\n"),
        ("cp1250", "város,n\nGyőr,1\nHűvös,2\n"),
        ("cp1250", "cena;ilość\n1 200,50 zł;3\n80,00 zł;4\n"),
        ("cp1250", "miasto;cena\nŁódź;1\u00a0200,50\nGdańsk;2\u00a0380,00\nOpole;9\u00a0080,25\n"),
        ("cp1250", "město;cena\nPlzeň;1\u00a0200,50 €\nČáslav;2\u00a0380,00 €\n"),
        ("gb18030", "日期,n\n2024年1月15日,1\n2024年1月16日,2\n"),
        ("cp1254", "şehir,n\nİstanbul,1\nEskişehir,2\nMuğla,3\n"),
    ],
)
def test_language_specific_letters_determine_encoding_of_short_table(encoding, text):
    decoded = decode(text.encode(encoding), "t.csv")
    assert (decoded.encoding, decoded.text) == (encoding, text)
    assert decoded.uncertainty_note


@pytest.mark.parametrize(
    ("encoding", "text"), [("cp1251", "a;k\n1;да\n2;нет\n"), ("cp1253", "a;k\n1;ναι\n2;όχι\n")]
)
def test_words_without_ascii_letters_are_not_central_european(encoding, text):
    decoded = decode(text.encode(encoding), "t.csv")
    assert decoded.encoding != "cp1250"
    assert encoding in [decoded.encoding, *(each.encoding for each in decoded.likely)]


def test_letter_common_to_two_languages_does_not_determine_encoding():
    decoded = decode("yanıt,n\nHayır,1\n".encode("cp1254"), "t.csv")
    assert decoded.encoding == "cp1252"
    assert "Hayır" in decoded.uncertainty_note


@pytest.mark.parametrize("text", ["city,n\ncafé,1\n", "a,b\n“x”,5 €\n", "é\n1\n"])
def test_few_western_letters_are_read_as_western(text):
    assert decode(text.encode("cp1252"), "t.csv").text == text


def test_shift_jis_is_recognised_by_signs_of_measurements():
    text = "Temp\n" + "".join(f"{i}.5 °C\n－{i}.3 °C\n" for i in range(20))
    assert decode(text.encode("cp932"), "t.csv").text == text
    assert decode("für 3 °C\n".encode("cp850") * 20, "t.csv").encoding != "cp932"


def test_euro_sign_after_a_number_reveals_latin_9():
    text = "Preis;Ort\n" + "".join(f"{i} €;Café\n" for i in range(9))
    assert decode(text.encode("iso-8859-15"), "t.csv").text == text
    assert decode("§ 5;Größe\n".encode("mac-roman") * 9, "t.csv").encoding != "iso-8859-15"
    assert decode("5 東京\n5東京\n".encode("gb18030") * 9, "t.csv").encoding != "iso-8859-15"
