package openstack

// STUB until the configuration and failures are merged: this file goes away then.

import (
	"context"
	"errors"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

type globalConfig struct{ region string }

var errUnreadable = errors.New("the answer of the API lacks the object that was asked for")

func (d *Driver) Classify(err error) cloud.Failure {
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return cloud.Failure{Class: cloud.FailureNotFound}
	}
	return cloud.FailureOf(err)
}

func (d *Driver) Identity(context.Context) (cloud.Identity, error) { return cloud.Identity{}, nil }

const scheme = "openstack"
