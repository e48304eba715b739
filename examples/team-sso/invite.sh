#!/bin/sh
# Invites people to an account and prints a link for each person: ./invite.sh ACCOUNT_ID EMAIL...
set -eu
url="${TOLLGATE_URL:-https://ai.example.com}"
account="$1"
shift
for email in "$@"; do
  curl --silent --show-error --fail "$url/admin/v1/members/invitations" \
    -H "Authorization: Bearer $TOLLGATE_ADMIN_TOKEN" \
    -H "Content-Type: application/json" \
    -d "{\"account\": \"$account\", \"email\": \"$email\", \"role\": \"member\"}"
  echo
done
