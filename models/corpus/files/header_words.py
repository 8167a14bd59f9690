"""The words of which the names of columns consist: English ones, and the names of languages in nine."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(re.findall(r"\w+", text))


# Words in the headers of parallel texts, besides languages.
HEADER_WORDS = word_set(
    """source target src tgt trg input output text texts sentence sentences translation translations
    translated label question answer prompt completion response original reference ref hypothesis hyp mt
    system prediction context id score comet language lang from to word phrase meaning"""
)
# Words for columns beside the texts. They count only beside a header word or a language.
SIDE_WORDS = word_set(
    """index unnamed idx row nr uid uuid key url link license licence attribution domain split topic genre
    category notes note comment file date"""
)
# A line for each language: two letters, three letters, names.
_LANGUAGES = """en eng english
es spa spanish
fr fra fre french
de deu ger german
it ita italian
pt por portuguese
nl nld dutch
zh zho cmn chinese mandarin
yue cantonese
ja jpn japanese
ko kor korean
ru rus russian
uk ukr ukrainian
pl pol polish
cs ces czech
sk slk slovak
hu hun hungarian
ro ron romanian
bg bul bulgarian
el ell greek
tr tur turkish
ar ara arabic
he heb hebrew
fa fas persian
hi hin hindi
bn ben bengali
ur urd urdu
ta tam tamil
te tel telugu
th tha thai
vi vie vietnamese
id ind indonesian
ms msa malay
sw swa swahili
fi fin finnish
sv swe swedish
no nb nn nor norwegian
da dan danish
is isl icelandic
et est estonian
lv lav latvian
lt lit lithuanian
ca cat catalan
eu eus basque
gl glg galician
la lat latin
eo epo esperanto
cy cym welsh
ga gle irish
sr srp serbian
hr hrv croatian
sl slv slovenian
mk mkd macedonian
sq sqi albanian
hy hye armenian
ka kat georgian
az aze azerbaijani
kk kaz kazakh
mn mon mongolian
my mya burmese
km khm khmer
lo lao
ne nep nepali
si sin sinhala
ml mal malayalam
mr mar marathi
gu guj gujarati
pa pan punjabi
kn kan kannada
am amh amharic
yo yor yoruba
ha hau hausa
zu zul zulu
af afr afrikaans"""
# The names of some of them in other languages.
_LOCAL_LANGUAGES = """en inglés ingles anglais englisch inglês inglese английский 英语 英文 英語
es español espanol castellano espagnol spanisch espanhol spagnolo испанский 西班牙语 西班牙文 スペイン語
fr francés français francais französisch francês francese французский 法语 法文 フランス語
de alemán aleman allemand deutsch alemão tedesco немецкий 德语 德文 ドイツ語
it italiano italien italienisch итальянский 意大利语 意大利文 イタリア語
pt portugués portugues portugais portugiesisch português portoghese португальский 葡萄牙语 葡萄牙文
zh chino chinois chinesisch chinês cinese китайский 中文 汉语 漢語 中国語
ja japonés japonais japanisch japonês giapponese японский 日语 日文 日本語
ru ruso russe russisch russo русский 俄语 俄文 ロシア語"""


def _codes(lines: str) -> dict[str, str]:
    """The first word of each line, a code, by every word of the line."""
    return {word: line.split()[0] for line in lines.splitlines() for word in line.split()}


LANGUAGE_BY_WORD = _codes(_LANGUAGES)
LOCAL_LANGUAGE_BY_WORD = {word: code for word, code in _codes(_LOCAL_LANGUAGES).items() if word != code}
