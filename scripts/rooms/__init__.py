"""Tests on other machines than a developer's: newer releases of Debian, and the images as restricted pods."""
