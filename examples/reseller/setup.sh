#!/bin/sh
# Creates a trial account, a customer with prepaid credits, a partner, and a credit code to sell elsewhere.
set -eu
tollgate="${TOLLGATE:-npx tollgate}"

$tollgate account create trial-ada --template trial
$tollgate key create --account trial-ada --name trial --expires 14d

$tollgate account create acme --template customer --credits 100
$tollgate key create --account acme --name backend --monthly-budget 50

$tollgate account create example-partner --template partner --credits 500
$tollgate key create --account example-partner --name production

$tollgate code create --credits 10 --uses 100 --expires 90d --note "sold in the shop"
