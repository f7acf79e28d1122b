package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// IsURL tells a database from a folder.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// parse reads a URL as libpq does, the variables of the environment and the file of passwords included.
func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, "", "not the URL of a database, expected postgres://user@host:5432/database: %v", shortest(err))
	}
	if config.ConnConfig.ConnectTimeout == 0 || config.ConnConfig.ConnectTimeout > reachTime {
		config.ConnConfig.ConnectTimeout = reachTime
	}
	// A standby that lags behind looks like a database that was put back: only the primary will do.
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "lacuna"
	}
	return config, nil
}

// nameOf says which database it is, without user and password.
func nameOf(config *pgxpool.Config) string {
	c := config.ConnConfig
	name := "postgres://" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
	if schema := c.RuntimeParams["search_path"]; schema != "" {
		name += "?search_path=" + schema
	}
	return name
}

// shortest is the innermost error, as the outer ones tell of configurations and attempts over several lines.
func shortest(err error) error {
	for {
		var inner error
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			inner = e.Unwrap()
		case interface{ Unwrap() []error }:
			if list := e.Unwrap(); len(list) > 0 {
				inner = list[len(list)-1]
			}
		}
		if inner == nil {
			return err
		}
		if _, ok := err.(*net.OpError); ok {
			return err // it has the address
		}
		err = inner
	}
}

// passing are the classes and codes of errors that end by themselves: connections, resources, shutdown, timeouts, conflicts, and a server that is a standby now.
var passing = []string{"08", "53", "57P", "57014", "55P03", "25P03", "25006", "40"}

// failure tells errors of a database that does not answer from others.
func (l *Log) failure(err error) error {
	var known *kg.Error
	var away *journal.Unavailable
	if err == nil || errors.As(err, &known) || errors.As(err, &away) || errors.Is(err, journal.ErrLost) || errors.Is(err, journal.ErrFolded) {
		return err
	}
	var told *pgconn.PgError
	if !errors.As(err, &told) {
		return &journal.Unavailable{Err: fmt.Errorf("%s: %w", l.name, shortest(err))}
	}
	for _, p := range passing {
		if strings.HasPrefix(told.Code, p) {
			return &journal.Unavailable{Err: fmt.Errorf("%s: %s", l.name, told.Message)}
		}
	}
	if advice := adviceOn(told); advice != "" {
		return kg.Errorf(kg.Invalid, l.name, "%s: %s", told.Message, advice)
	}
	return kg.Errorf(kg.Failure, l.name, "%s (SQLSTATE %s)", told.Message, told.Code)
}

// adviceOn says what to do about an error, "" where nothing is known. A user whom pg_hba.conf lets in and who does not
// exist, or may not log in, has the code of those it keeps out; what tells them apart in every language is where PostgreSQL noticed.
func adviceOn(told *pgconn.PgError) string {
	if told.Code == "28000" && told.Routine == "InitializeSessionUserId" {
		return "make the user first, as by createuser, let it log in, or name another in the URL"
	}
	return advices[told.Code]
}

// advices say what to do about errors that do not end by themselves.
var advices = map[string]string{
	"28P01": "give the password in the URL, in PGPASSWORD or in ~/.pgpass",
	"28000": "the database's pg_hba.conf does not let this user in from here",
	"3D000": "make the database first, as by createdb",
	"3F000": "make the schema first, as by CREATE SCHEMA",
	"42501": "the user needs CREATE on the schema the first time, then SELECT, INSERT, UPDATE and DELETE on the tables lacuna_*; with --read-only SELECT alone",
	"42P01": "the tables lacuna_* of the log are gone",
}

// opening is the error of a log that could not be opened.
func (l *Log) opening(err error) error {
	var away *journal.Unavailable
	if err = l.failure(err); errors.As(err, &away) {
		return kg.Errorf(kg.Failure, "", "%v: is the database running, and the address right?", away.Err)
	}
	return err
}

// again asks a second time where the first was quick to fail: a database that was started again has closed the connections of
// before, which shows at their next use.
func again[T any](ask func() (T, error)) (T, error) {
	began := time.Now()
	answer, err := ask()
	var away *journal.Unavailable
	if errors.As(err, &away) && time.Since(began) < time.Second {
		return ask()
	}
	return answer, err
}

// bounded is a context that ends before a server would seem to hang.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, reachTime)
}
