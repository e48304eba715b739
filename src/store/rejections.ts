import { StoreError } from "./store-error.ts"

/** Errors for rejected operations, which all engines share. */
export const rejections = {
  noAccount: (id: string) => new StoreError("not_found", `there is no account '${id}'`),
  nameIsTaken: (name: string) =>
    new StoreError("exists", `an account named '${name}' already exists`),
  balanceIsShort: () =>
    new StoreError(
      "insufficient",
      "the balance does not cover this, or running requests hold a part of it",
    ),
  balanceIsFull: () =>
    new StoreError("too_much", "the balance would be more than the ledger can hold"),

  requestIsTooOld: (until: string) =>
    new StoreError(
      "expired",
      `the request is from before ${until}: receipts of that time were removed, and it may have been charged`,
    ),

  cannotBeStored: (reason: string) =>
    new StoreError("unstorable", `the database cannot store this: ${reason}`),

  tooManyKeys: (most: number) =>
    new StoreError(
      "too_much",
      `the account already has its maximum of ${most} keys: revoke one first`,
    ),

  tooManyInvitations: (most: number) =>
    new StoreError(
      "too_much",
      `the account already has its maximum of ${most} open invitations: withdraw one first`,
    ),

  noKey: (id: string) => new StoreError("not_found", `there is no key '${id}'`),
  keyIsRevoked: (id: string, code: "not_found" | "revoked") =>
    new StoreError(code, `the key '${id}' was revoked: create a new one`),

  noCode: (id: string) => new StoreError("not_found", `there is no code '${id}'`),
  noSuchCode: () => new StoreError("not_found", "there is no such code"),
  codeIsRevoked: () => new StoreError("revoked", "this code was revoked"),
  codeHasExpired: () => new StoreError("expired", "this code has expired"),
  codeWasRedeemed: () => new StoreError("exists", "this account has redeemed this code already"),
  codeIsUsedUp: () => new StoreError("insufficient", "this code has no uses left"),

  noMember: (id: string) => new StoreError("not_found", `there is no member '${id}'`),
  isMember: () => new StoreError("exists", "this user belongs to the account already"),
  lastOwner: () => new StoreError("last_owner", "this is the account's last owner"),
  lastOwnerOf: (account: string) =>
    new StoreError("last_owner", `this is the last owner of the account '${account}'`),
  noInvitation: (id: string) => new StoreError("not_found", `there is no invitation '${id}'`),
  invitationIsClosed: () =>
    new StoreError("not_found", "the invitation was used, withdrawn, or has expired"),

  noNoticeTarget: (id: string) => new StoreError("not_found", `there is no notice target '${id}'`),

  groupHasMembers: (id: string) =>
    new StoreError("conflict", `accounts belong to the price group '${id}'`),
  wasReconciled: (provider: string) =>
    new StoreError(
      "conflict",
      `the provider '${provider}' was reconciled at the same time: run the command again`,
    ),
  settingWasChanged: (section: string, id: string) =>
    new StoreError("conflict", `someone else has just changed ${section} '${id}'`),

  paymentIsKnown: (id: string) =>
    new StoreError("exists", `the payment '${id}' is in the ledger already`),
  noPayment: (intent: string) => new StoreError("not_found", `there is no payment '${intent}'`),
  reversalIsSettled: () =>
    new StoreError("exists", "these refunds and disputes are already settled"),
  reversalHasGrown: () =>
    new StoreError("conflict", "further refunds or disputes were reported meanwhile"),
} as const
