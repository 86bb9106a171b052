package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/redis/go-redis/v9"
)

// tools leave the process: cart reads a hash of Redis, product asks an HTTP service.
type tools struct {
	redis     *redis.Client
	http      *http.Client
	catalogue string
}

// connectTools connects to REDIS_URL and CATALOGUE_URL.
func connectTools() (*tools, error) {
	options, err := redis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		return nil, err
	}
	// With the default of two idle connections per host, most calls would open a new one.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 100
	return &tools{redis.NewClient(options), &http.Client{Transport: transport}, os.Getenv("CATALOGUE_URL")}, nil
}

func (t *tools) cart(ctx context.Context, user string) (string, error) {
	cart, err := t.redis.HGetAll(ctx, "cart:"+user).Result()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(cart)
	return string(text), err
}

func (t *tools) product(ctx context.Context, id string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.catalogue+"/products/"+id, nil)
	if err != nil {
		return "", err
	}
	response, err := t.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the catalogue answers %s", response.Status)
	}
	return string(body), err
}
