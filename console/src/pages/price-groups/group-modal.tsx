import { Alert, Button, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { type ReactNode, useState } from "react"
import type { PriceGroup } from "tollgate-contract/price-groups.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { FormModal } from "../../ui/form-modal.tsx"
import { IconPlus } from "../../ui/icons.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { multiplierQuestion } from "../credits/large-amount.ts"
import {
  emptyTerm,
  type GroupValues,
  groupValuesOf,
  termsBodyOf,
  termsDoubt,
  termsFault,
  type TermValues,
} from "./group-values.ts"
import { TermFields } from "./term-fields.tsx"
import { t } from "../../languages/text.ts"

export interface GroupModalProperties {
  /** The group to edit; undefined means a new group. */
  readonly group: PriceGroup | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates or edits a price group. */
export function GroupModal({ group, isOpen, onClose }: GroupModalProperties) {
  const title =
    group === undefined
      ? t("Create a price group")
      : t("Change {name}", { name: group.name ?? group.id })
  return (
    <FormModal opened={isOpen} onClose={onClose} title={title} size="lg">
      <GroupForm group={group} onClose={onClose} />
    </FormModal>
  )
}

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/

function GroupForm({ group, onClose }: Omit<GroupModalProperties, "isOpen">) {
  const { ask, dialog } = useAskFirst()
  const [fault, setFault] = useState<string>()
  const form = useForm<GroupValues>({
    initialValues: groupValuesOf(group),
    validate: {
      id: (id) => (ID.test(id.trim()) ? null : t("Use lowercase letters, digits and hyphens")),
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values, idempotencyKey) => {
    const id = values.id.trim()
    const name = values.name.trim()
    const body = { name: name === "" ? null : name, terms: termsBodyOf(values.terms) }
    await (group === undefined
      ? api("POST /price-groups", { body: { id, ...body } }, { idempotencyKey })
      : api("PATCH /price-groups/{id}", { path: { id }, body }, { idempotencyKey }))
    onClose()
    await refresh("/price-groups")
  })
  function send(values: GroupValues) {
    const wrong = termsFault(values.terms)
    setFault(wrong)
    if (wrong === undefined) ask(multiplierQuestion(termsDoubt(values.terms)), () => submit(values))
  }

  return (
    <>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack>
          {group === undefined && (
            <TextInput
              label={t("ID")}
              description={t("Such as partners. It appears on receipts and cannot be changed.")}
              required
              data-autofocus
              {...form.getInputProps("id")}
            />
          )}
          <TextInput label={t("Name")} {...form.getInputProps("name")} />
          <TermList
            terms={form.values.terms}
            fault={fault ?? form.errors["terms"]}
            onChange={(terms) => {
              setFault(undefined)
              form.setFieldValue("terms", terms)
            }}
          />
          <ErrorNotice error={error} />
          <FormButtons
            action={group === undefined ? t("Create") : t("Save")}
            isBusy={isBusy}
            error={error}
            onClose={onClose}
          />
        </Stack>
      </form>
      {dialog}
    </>
  )
}

interface TermListProperties {
  readonly terms: readonly TermValues[]
  readonly fault: ReactNode
  readonly onChange: (terms: readonly TermValues[]) => void
}

/** Lists all terms of a price group with their errors. */
function TermList({ terms, fault, onChange }: TermListProperties) {
  const isRemovable = terms.length > 1
  return (
    <>
      {terms.map((term, place) => (
        <TermFields
          key={term.key}
          term={term}
          place={place + 1}
          onChange={(changed) =>
            onChange(terms.map((one) => (one.key === term.key ? changed : one)))
          }
          {...(isRemovable && {
            onRemove: () => onChange(terms.filter(({ key }) => key !== term.key)),
          })}
        />
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        onClick={() => onChange([...terms, emptyTerm()])}
      >
        {t("Add a term")}
      </Button>
      {fault !== undefined && (
        <Alert color="red" role="alert">
          {fault}
        </Alert>
      )}
    </>
  )
}
