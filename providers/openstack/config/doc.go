// Package config reads cloud.conf and clouds.yaml, and makes a credential of what they say.
package config
