package main

// theme are the colours of a picture.
type theme struct {
	// name is part of the file's name.
	name string
	// ground is behind the text of a terminal, border around it, text what has no colour, faint what matters less.
	ground, border, text, faint string
	// terminal are the eight colours of a terminal, in their order.
	terminal [8]string
	// series are the colours of lines and bars, told apart by people who see no red or green too.
	series []string
}

// The palettes are GitHub's, whose contrast is enough for text.
var themes = []theme{
	{
		name: "light", ground: "#f6f8fa", border: "#d1d9e0", text: "#1f2328", faint: "#59636e",
		terminal: [8]string{"#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#59636e"},
		series:   []string{"#0b62c4", "#b35900", "#00785a", "#a33b8f", "#8a6d00", "#59636e"},
	},
	{
		name: "dark", ground: "#161b22", border: "#3d444d", text: "#e6edf3", faint: "#9198a1",
		terminal: [8]string{"#6e7681", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"},
		series:   []string{"#6cb6ff", "#ffa657", "#45d6ac", "#ee9be0", "#e3c33b", "#9198a1"},
	},
}

// file is the name of a picture in a theme.
func (t theme) file(name string) string { return name + "-" + t.name + ".svg" }
