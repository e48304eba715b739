import { Button } from "@mantine/core"
import { useState } from "react"
import type { Session } from "tollgate-contract/session.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { joined } from "../../format/lists.ts"
import { useSession } from "../../session.tsx"
import { Facts } from "../../ui/facts.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { PersonModal, type PersonValues } from "../../ui/person-modal.tsx"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

/** Shows the signed-in user. Users can change their name. Only an operator can change their email address. */
export function PersonPanel({ user }: { readonly user: NonNullable<Session["user"]> }) {
  const session = useSession()
  const [isOpen, setOpen] = useState(false)

  async function save({ name, email }: Partial<PersonValues>) {
    if (session.is_operator) {
      await api("PATCH /users/{id}", { path: { id: user.id }, body: { name, email } })
    } else if (name !== undefined) {
      await api("PATCH /session", { body: { name } })
    }
    notifyDone(t("Your profile has been saved."))
    await refresh("/session", "/users", "/members")
  }

  return (
    <Panel
      title={t("Your profile")}
      actions={
        <Button variant="default" onClick={() => setOpen(true)}>
          {session.is_operator ? t("Change name or email") : t("Change name")}
        </Button>
      }
    >
      <Facts
        facts={[
          { label: t("Name"), value: user.name },
          { label: t("Email"), value: user.email },
          {
            label: t("Role"),
            value: session.is_operator ? t("operator of this gateway") : rolesText(session),
          },
        ]}
      />
      <PersonModal
        person={isOpen ? user : undefined}
        mayChangeEmail={session.is_operator}
        onSave={save}
        onClose={() => setOpen(false)}
      />
    </Panel>
  )
}

function rolesText({ accounts }: Session): string {
  const roles = accounts.map((account) =>
    t("{role} of {name}", { role: word(account.role), name: account.name }),
  )
  return roles.length === 0 ? t("no accounts yet") : joined(roles)
}
