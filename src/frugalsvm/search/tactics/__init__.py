"""What has run(state): only tactics raise the bound."""
