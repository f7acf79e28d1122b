package complete

// accented lists letters by the one that people type for them where a keyboard lacks these.
var accented = []struct {
	plain   rune
	letters string
}{
	{'a', "àáâãäåāăąǎạảấầẩẫậắằẳẵặ"}, {'c', "çćĉċč"}, {'d', "ďđð"}, {'e', "èéêëēĕėęěẹẻẽếềểễệ"}, {'g', "ĝğġģ"}, {'h', "ĥħ"},
	{'i', "ìíîïĩīĭįıỉị"}, {'j', "ĵ"}, {'k', "ķ"}, {'l', "ĺļľŀł"}, {'n', "ñńņňŉ"}, {'o', "òóôõöøōŏőơọỏốồổỗộớờởỡợ"}, {'r', "ŕŗř"},
	{'s', "śŝşšșß"}, {'t', "ţťŧț"}, {'u', "ùúûüũūŭůűųưụủứừửữự"}, {'w', "ŵ"}, {'y', "ýÿŷỳỵỷỹ"}, {'z', "źżž"},
}

// plainLetters is accented the other way round.
var plainLetters = func() map[rune]rune {
	plain := map[rune]rune{}
	for _, group := range accented {
		for _, r := range group.letters {
			plain[r] = group.plain
		}
	}
	return plain
}()

// plain is a letter in lower case without its accent.
func plain(r rune) rune {
	if r < 0x80 {
		return r
	}
	if p, ok := plainLetters[r]; ok {
		return p
	}
	return r
}
