import type { DirectStore } from "../store.ts"
import type { Invitations } from "./invitations.ts"
import type { Members } from "./members.ts"
import type { Transactions } from "./transactions.ts"

interface MemberParts {
  readonly transactions: Transactions
  readonly members: Members
  readonly invitations: Invitations
}

/** The steps on who belongs to an account, and who is invited. */
export function memberSteps({ transactions, members, invitations }: MemberParts) {
  return {
    addMember: (member) => transactions.atomically(() => members.add(member)),
    findMember: (id) => members.find(id),
    listMembers: (filter, after, limit) => members.list(filter, after, limit),
    changeMember: (id, role) => transactions.atomically(() => members.change(id, role)),
    removeMember: (id) => transactions.atomically(() => members.remove(id)),
    insertInvitation: (invitation) => transactions.atomically(() => invitations.insert(invitation)),
    findInvitation: (id, now) => invitations.find(id, now),
    findInvitationByToken: (hash, now) => invitations.findByToken(hash, now),
    isInvited: (email, now) => invitations.isInvited(email, now),
    listInvitations: (accounts, now, after, limit) => invitations.list(accounts, now, after, limit),
    removeInvitation: (id, now) => transactions.atomically(() => invitations.remove(id, now)),
    acceptInvitation: (id, member) => transactions.atomically(() => invitations.accept(id, member)),
  } satisfies Partial<DirectStore>
}
