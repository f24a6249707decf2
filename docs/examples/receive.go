// Receives forwarded events in Go: verifies signatures (Standard Webhooks) and stores each event once. Go 1.19 or newer, nothing else.
//
//	WEBHOOK_SECRET=whsec_… PORT=9000 go run receive.go
//
// WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance = 300 * time.Second
	mostBytes = 16 << 20
)

var (
	keys   = keysOf(os.Getenv("WEBHOOK_SECRET"))
	folder = valueOf("STORE", "events")
	// Event ids become names of files.
	idForm = regexp.MustCompile(`^[0-9A-Za-z_-]{1,100}$`)
)

func valueOf(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func keysOf(secrets string) (keys [][]byte) {
	for _, secret := range strings.Fields(secrets) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < 24 {
			log.Fatal("WEBHOOK_SECRET is not whsec_ and base64")
		}
		keys = append(keys, key)
	}
	return keys
}

func isGenuine(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// An old delivery that was recorded and is sent again is refused.
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	isGood := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		// While the secret rotates there are two signatures; one of them must be right.
		for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(given), expected) {
				isGood = true
			}
		}
	}
	return isGood
}

// Stores the event once, on disk when it returns. False: it was stored before.
func store(id string, body []byte) (bool, error) {
	file, err := os.CreateTemp(folder, "new-")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err = file.Write(body); err == nil {
		err = file.Sync()
	}
	if err != nil {
		return false, err
	}
	// Fails where the file is there already: of two deliveries at the same time, one is the first.
	err = os.Link(file.Name(), filepath.Join(folder, id))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	isNew := err == nil
	// The name of the file is on disk, too.
	directory, err := os.Open(folder)
	if err != nil {
		return false, err
	}
	defer directory.Close()
	return isNew, directory.Sync()
}

func hook(response http.ResponseWriter, request *http.Request) {
	// The raw bytes: never parsed and written again.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, mostBytes))
	if err != nil {
		http.Error(response, "unreadable body", http.StatusBadRequest)
		return
	}
	id := request.Header.Get("webhook-id")
	if !isGenuine(request.Header, body) || !idForm.MatchString(id) {
		http.Error(response, "invalid signature", http.StatusUnauthorized)
		return
	}
	isNew, err := store(id, body)
	if err != nil {
		log.Print(err)
		http.Error(response, "not stored", http.StatusInternalServerError)
		return
	}
	// Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the folder.
	if isNew {
		io.WriteString(response, "stored")
	} else {
		io.WriteString(response, "repeated")
	}
}

func main() {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/hook", hook)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+valueOf("PORT", "9000"), nil))
}
