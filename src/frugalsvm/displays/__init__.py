"""Figures of one fit."""
