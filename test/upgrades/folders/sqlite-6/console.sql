CREATE TABLE "user" (
  "id" text NOT NULL PRIMARY KEY,
  "name" text NOT NULL,
  "email" text NOT NULL UNIQUE,
  "emailVerified" integer NOT NULL,
  "image" text,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL,
  "twoFactorEnabled" integer,
  "isOperator" integer NOT NULL,
  "isDisabled" integer NOT NULL,
  "lastSeenAt" date
);
CREATE TABLE "session" (
  "id" text NOT NULL PRIMARY KEY,
  "expiresAt" date NOT NULL,
  "token" text NOT NULL UNIQUE,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL,
  "ipAddress" text,
  "userAgent" text,
  "userId" text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE
);
CREATE TABLE "account" (
  "id" text NOT NULL PRIMARY KEY,
  "accountId" text NOT NULL,
  "providerId" text NOT NULL,
  "userId" text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" date,
  "refreshTokenExpiresAt" date,
  "scope" text,
  "password" text,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL
);
CREATE TABLE "verification" (
  "id" text NOT NULL PRIMARY KEY,
  "identifier" text NOT NULL,
  "value" text NOT NULL,
  "expiresAt" date NOT NULL,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL
);
CREATE TABLE "twoFactor" (
  "id" text NOT NULL PRIMARY KEY,
  "secret" text NOT NULL,
  "backupCodes" text NOT NULL,
  "userId" text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
  "verified" integer,
  "failedVerificationCount" integer,
  "lockedUntil" date
);
CREATE TABLE attempts (
  key TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  begun_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "user" ("id", "name", "email", "emailVerified", "image", "createdAt", "updatedAt", "twoFactorEnabled", "isOperator", "isDisabled", "lastSeenAt") VALUES ('user_c41c4591216d4d689b219bcd9a3fa590', 'Olga', 'olga@example.com', 1, NULL, '2026-11-24T04:38:29.155Z', '2026-11-24T04:38:29.766Z', 1, 1, 0, '2026-11-24T04:38:29.622Z');
INSERT INTO "user" ("id", "name", "email", "emailVerified", "image", "createdAt", "updatedAt", "twoFactorEnabled", "isOperator", "isDisabled", "lastSeenAt") VALUES ('user_a2e58952e14548c6874cc684effd47f6', 'Mia', 'mia@example.com', 1, NULL, '2026-11-24T04:38:29.837Z', '2026-11-24T04:38:29.837Z', 0, 0, 0, '2026-11-24T04:38:29.958Z');
INSERT INTO "session" ("id", "expiresAt", "token", "createdAt", "updatedAt", "ipAddress", "userAgent", "userId") VALUES ('session_6dd14f07d2c8414f850bde8a33477051', '2026-12-01T04:38:29.768Z', 'iPpEdaLqK34Jj27NUIvxkEbRgNXocqTE', '2026-11-24T04:38:29.768Z', '2026-11-24T04:38:29.768Z', '127.0.0.1', 'Bun/1.4.5', 'user_c41c4591216d4d689b219bcd9a3fa590');
INSERT INTO "session" ("id", "expiresAt", "token", "createdAt", "updatedAt", "ipAddress", "userAgent", "userId") VALUES ('session_1ab5308d4ff843b4a3cf12649c198f56', '2026-12-01T04:38:29.955Z', 'PN5DGExYrKcAqRXDUbcPpp9KUCRMEpfF', '2026-11-24T04:38:29.955Z', '2026-11-24T04:38:29.955Z', '127.0.0.1', 'Bun/1.4.5', 'user_a2e58952e14548c6874cc684effd47f6');
INSERT INTO "account" ("id", "accountId", "providerId", "userId", "accessToken", "refreshToken", "idToken", "accessTokenExpiresAt", "refreshTokenExpiresAt", "scope", "password", "createdAt", "updatedAt") VALUES ('user_c41c4591216d4d689b219bcd9a3fa590_password', 'user_c41c4591216d4d689b219bcd9a3fa590', 'credential', 'user_c41c4591216d4d689b219bcd9a3fa590', NULL, NULL, NULL, NULL, NULL, NULL, '$argon2id$v=19$m=19456,t=2,p=1$hWXLCYw/qU5HAmDzxdBwVLnZ6WQIyrs7VYWDXCsloA4$b32hxyA+cVLx+CdUUblvNq78RPucmfLA8DMv5pAxV14', '2026-11-24T04:38:29.155Z', '2026-11-24T04:38:29.155Z');
INSERT INTO "account" ("id", "accountId", "providerId", "userId", "accessToken", "refreshToken", "idToken", "accessTokenExpiresAt", "refreshTokenExpiresAt", "scope", "password", "createdAt", "updatedAt") VALUES ('user_a2e58952e14548c6874cc684effd47f6_password', 'user_a2e58952e14548c6874cc684effd47f6', 'credential', 'user_a2e58952e14548c6874cc684effd47f6', NULL, NULL, NULL, NULL, NULL, NULL, '$argon2id$v=19$m=19456,t=2,p=1$CgPSFgSeCztR1UcQwiijIcIjG2ebdkrnIUaRjPBgtd0$RvChoOxhuKa++hhYLGwoHxd5UiZ0sYqypKyOqEe/47g', '2026-11-24T04:38:29.837Z', '2026-11-24T04:38:29.837Z');
INSERT INTO "twoFactor" ("id", "secret", "backupCodes", "userId", "verified", "failedVerificationCount", "lockedUntil") VALUES ('twoFactor_22c1fc32e8e4409990cbca4c74bf4c94', '$ba$1$4e8bc51668f31459ca06c0be420fdb1f00d118443cc387eb52385b88e2940646b1435a383f1c55d0ef564b5f5cc18ab7bc53b25e94d10237f28722f41853e8fdff74de6a2b069b46', '$ba$1$685c7054d714466adfcc5457fd6513da5712754af805d9c6800e27e6cbc1a995490312fdc7c6e65706b4f2d725bc584f4719ca1da6da3d273ab754c8080dec8b07a68383b48c2fcfd88dd717824532fa35613be48e8830f4156c017735a819428f3b954ad52d93631bb25157e99ed77290c20adbb88cdd8cd06760f6bcab851151e58c18bc70cf3d4a0937794fc877da9d43d4ebea0b546115b2c2223f8ddefe8cd14b8b33590b70cb605d3bfbd40ef8a2192f7133', 'user_c41c4591216d4d689b219bcd9a3fa590', 1, 0, NULL);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('address:127.0.0.1', 0, 1795495109159);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('session:E6ey5gK2DJ1F3EscKY3exU', 0, 1795495109639);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('setup:127.0.0.1', 0, 1795495109096);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('user:ORwV6qnELS5fJgn2WuVKyC', 0, 1795495109159);
INSERT INTO "attempts" ("key", "count", "begun_at") VALUES ('user:mYV_4RHfH3cijFC6zIrPAK', 0, 1795495109849);
CREATE INDEX "session_userId_idx" ON "session" ("userId");
CREATE INDEX "account_userId_idx" ON "account" ("userId");
CREATE UNIQUE INDEX "account_owner_idx" ON "account" ("providerId", "accountId");
CREATE INDEX "verification_identifier_idx" ON "verification" ("identifier");
CREATE INDEX "twoFactor_secret_idx" ON "twoFactor" ("secret");
CREATE INDEX "twoFactor_userId_idx" ON "twoFactor" ("userId");
PRAGMA user_version = 1;
