import { Select, Stack } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useState } from "react"
import type { Key, KeyWithSecret } from "tollgate-contract/keys.ts"
import { useAccount } from "../../account.tsx"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormDrawer } from "../../ui/form-modal.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { KeyFields } from "./key-fields.tsx"
import { useMemberKeyRules } from "./use-member-key-rules.ts"
import { bodyOf, changesOf, EMPTY_KEY, KEY_CHECKS, valuesOf } from "./key-values.ts"
import { t } from "../../languages/text.ts"

/** The task of the drawer: creating a new key or editing an existing key. */
export type KeyWork = { readonly kind: "create" } | { readonly kind: "edit"; readonly key: Key }

export interface KeyDrawerProperties {
  /** The task; undefined if the drawer is closed. */
  readonly work: KeyWork | undefined
  readonly onClose: () => void
  readonly onCreated: (key: KeyWithSecret) => void
}

/** Creates or edits a key. */
export function KeyDrawer({ work, onClose, onCreated }: KeyDrawerProperties) {
  return (
    <FormDrawer
      opened={work !== undefined}
      onClose={onClose}
      title={
        work?.kind === "edit" ? t("Change {name}", { name: work.key.name }) : t("Create a key")
      }
    >
      {work?.kind === "create" && <CreateForm onClose={onClose} onCreated={onCreated} />}
      {work?.kind === "edit" && <EditForm key={work.key.id} target={work.key} onClose={onClose} />}
    </FormDrawer>
  )
}

function CreateForm({ onClose, onCreated }: Omit<KeyDrawerProperties, "work">) {
  const { accountId, accounts } = useAccount()
  const first = accountId ?? (accounts.length === 1 ? accounts[0]?.id : undefined) ?? ""
  // Repeating the request must create the same key, so the expiry must not change.
  const [opened] = useState(() => Date.now())
  const form = useForm({
    initialValues: { ...EMPTY_KEY, account: first },
    validate: KEY_CHECKS,
  })
  const rules = useMemberKeyRules(form.values.account)
  const { submit, isBusy, error } = useSubmit(form, async (values, idempotencyKey) => {
    const body = { account: values.account, ...bodyOf(values, opened) }
    const key = await api("POST /keys", { body }, { idempotencyKey })
    onClose()
    onCreated(key)
    await refresh("/keys", "/usage/overview")
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        {accountId === undefined && (
          <Select
            label={t("Account")}
            description={t("It pays for requests made with this key.")}
            data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
            searchable
            {...form.getInputProps("account")}
          />
        )}
        <KeyFields form={form} rules={rules} />
        <ErrorNotice
          error={error}
          title={t("Could not create the key")}
          unknownTitle={t("The key may or may not have been created")}
        />
        <FormButtons action={t("Create the key")} isBusy={isBusy} error={error} onClose={onClose} />
      </Stack>
    </form>
  )
}

function EditForm({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const form = useForm({ initialValues: valuesOf(target), validate: KEY_CHECKS })
  const rules = useMemberKeyRules(target.account)
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const changes = changesOf(target, values)
    if (Object.keys(changes).length > 0) {
      await api("PATCH /keys/{id}", { path: { id: target.id }, body: changes })
      notifyDone(t("The key has been changed. The change takes effect within a second."))
      await refresh("/keys")
    }
    onClose()
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        <KeyFields form={form} rules={rules} />
        <ErrorNotice error={error} title={t("Could not change the key")} />
        <FormButtons action={t("Save")} isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  )
}
