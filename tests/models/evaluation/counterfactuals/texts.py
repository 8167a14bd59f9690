"""Texts of many scripts, and texts without anything to translate."""

from __future__ import annotations

SENTENCES = {
    "es": "¿Dónde está la casa de María? Mañana, Juan comprará 3 libros.",
    "en": "Yesterday Tom's sister didn't read 12 books on March 21st; Anna did.",
    "de": "Gestern hat Jörg die Straße überquert, weil Käthe um 12:30 Uhr rief.",
    "zh": "我想喝茶，你呢？他有3本书。",
    "ja": "昨日、カタカナの電車は12:30に着きました。",
    "ko": "어제 민수는 책을 3권 읽었습니다.",
    "ru": "Вчера Иван Петров купил 3 ёлки, а Ольга — ничего.",
    "el": "Χθες ο Νίκος αγόρασε 3 βιβλία, αλλά η Μαρία όχι.",
    "ar": "أين تقع المكتبة، يا صديقي؟ لديه ٣ كُتُب.",
    "he": "אתמול קנה יוסי 3 ספרים, ואז הלך.",
    "hi": "कल राम ने ३ किताबें पढ़ीं, फिर सो गया।",
    "th": "เมื่อวานเขาอ่านหนังสือ 3 เล่ม",
}
ODD = {
    "empty": "",
    "one letter": "a",
    "one word": "unrolled",
    "one Han": "茶",
    "spaces": "   \t\n ",
    "emoji": "👩‍👩‍👧 🏳️‍🌈 1️⃣",
    "markup": "<script>alert(1)</script>",
    "marks": "?!... — «»",
    "long": "La casa de María tiene 3 gatos. " * 94,
    "one long word": "ab" * 1500,
    "a long number": "9" * 5000,
    "the same word": "no no no no",
    "apart": "Cafe\u0301 con azu\u0301car, sen\u0303or",  # NFD: accents are characters of their own
    "accents alone": "\u0301\u0301 \u0301",
    "half a pair": "a \ud800 b\u0000c",
    "right to left": "\u202eabc\u202c \u200fאב",
    "joiners": "می\u200cخواهم l'été— -x- '' 3.5.7,",
    "wide": "ＡＢＣ会社　１２３！",
}
TEXTS = {**SENTENCES, **ODD}
