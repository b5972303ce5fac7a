package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// runRepack gives a chart's archive and the files in it one time, so that two builds of a commit are the
// same bytes. helm writes its own time, and takes the archive's as the time of creation when it pushes.
func runRepack(args []string) error {
	flags := flag.NewFlagSet("repack", flag.ContinueOnError)
	date := flags.String("time", "", "the time, such as 2026-12-01T10:00:00Z")
	if err := flags.Parse(args); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, *date)
	if err != nil {
		return fmt.Errorf("reading -time: %w", err)
	}
	if flags.NArg() != 1 {
		return errors.New("name one archive")
	}
	path := flags.Arg(0)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content, err = repack(content, at)
	if err != nil {
		return fmt.Errorf("packing %s again: %w", path, err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	return os.Chtimes(path, at, at)
}

func repack(content []byte, at time.Time) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	zipped.Extra, zipped.Comment = unzipped.Extra, unzipped.Comment
	from, to := tar.NewReader(unzipped), tar.NewWriter(zipped)
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		header = &tar.Header{Typeflag: header.Typeflag, Name: header.Name, Size: header.Size, Mode: header.Mode, ModTime: at.UTC()}
		if err := to.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := io.Copy(to, from); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(to.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
