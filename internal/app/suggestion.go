package app

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mostMeant is how many names are suggested at most. More are no help.
const mostMeant = 3

// near returns the names that somebody may have meant with another one, by cobra's measure: it differs by a letter,
// from five letters on by two, or one begins with it. Where there is none, it is what one ends with: "provider" for
// "cloud-provider".
func near(given string, names []string) []string {
	if given == "" {
		return nil
	}
	// Cobra compares commands.
	known := &cobra.Command{SuggestionsMinimumDistance: 1}
	if len(given) >= 5 {
		known.SuggestionsMinimumDistance = 2
	}
	for _, name := range names {
		known.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	found := known.SuggestionsFor(given)
	if len(found) == 0 {
		found = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasSuffix(name, "-"+given) })
	}
	if len(found) > mostMeant {
		return nil
	}
	return found
}

// didYouMean returns the question, "" when there is nothing to ask.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	last := len(names) - 1
	if last == 0 {
		return ", did you mean " + names[0] + "?"
	}
	return ", did you mean " + strings.Join(names[:last], ", ") + " or " + names[last] + "?"
}

// kindMeant is the question for the first argument of a command, which has to be one of these words.
func kindMeant(args []string, words ...string) string {
	if len(args) == 0 || slices.Contains(words, args[0]) {
		return ""
	}
	word, _, _ := strings.Cut(args[0], "/") // service/web
	return didYouMean(near(word, words))
}

// flagError says what is wrong with a flag, and which one may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	return usagef("%s%s", plainly(err), cmp.Or(didYouMean(meantFlags(cmd.Flags(), err)), "; see --help"))
}

// meantFlags returns the flags that may have been meant by one that does not exist.
func meantFlags(fs *pflag.FlagSet, err error) []string {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return nil
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Deprecated == "" {
			names = append(names, f.Name)
		}
	})
	// -cloud-provider=aws, which is read as a group of flags of one letter each.
	if short, _, _ := strings.Cut(missing.GetSpecifiedShortnames(), "="); short != "" {
		if !slices.Contains(names, short) {
			return nil
		}
		names = []string{short}
	} else {
		names = near(missing.GetSpecifiedName(), names)
	}
	for n, name := range names {
		names[n] = "--" + name
	}
	return names
}
