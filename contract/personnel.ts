import * as z from 'zod';
import {
  endpoint,
  filter,
  id,
  instant,
  integer,
  listBody,
  listReply,
  nothing,
  outcomeOfCount,
  rowResult,
  selectionOf,
} from './endpoint.ts';
import { contactNumber, isPersonName } from './people.ts';

const name = z
  .string({ error: 'person.name' })
  .trim()
  .min(1, 'person.name')
  .refine((given) => given === '' || isPersonName(given), { error: 'name.real' });
const fields = {
  name,
  mobile: contactNumber,
  position: z.string().trim().max(40).default(''),
  note: z.string().trim().max(200).default(''),
  project_ids: selectionOf(id, 200, 'person.projects'),
};
const filters = {
  search: filter(z.string().trim().max(60)),
  project_id: filter(id),
};

const personRow = z.object({
  person_id: z.int(),
  name: z.string(),
  mobile: z.string(),
  position: z.string(),
  note: z.string(),
  /** Only projects in the caller's scope. */
  projects: z.array(z.object({ project_id: z.int(), name: z.string() })),
  /** Other projects name this person too: only a user who manages all of them changes name and number. */
  shared: z.boolean(),
  created_at: instant,
  revision: z.int(),
});
export type PersonRow = z.output<typeof personRow>;

export const personnelEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/person/get_list',
    permission: 'person.read',
    body: listBody(filters, ['name', 'created_at']),
    reply: listReply(personRow),
  }),
  export: endpoint({
    method: 'POST',
    path: '/person/export',
    permission: 'person.read',
    body: z.strictObject(filters),
    reply: z.unknown(),
    stream: true,
  }),
  add: endpoint({
    method: 'POST',
    path: '/person/add',
    permission: 'person.write',
    log: 'person.add',
    body: z.strictObject(fields),
    reply: z.object({ person_id: z.int() }),
  }),
  edit: endpoint({
    method: 'POST',
    path: '/person/edit',
    permission: 'person.write',
    log: 'person.edit',
    body: z.strictObject({
      person_id: id,
      revision: integer.optional(),
      name: name.optional(),
      mobile: contactNumber.optional(),
      position: z.string().trim().max(40).optional(),
      note: z.string().trim().max(200).optional(),
      project_ids: fields.project_ids.optional(),
    }),
    reply: nothing,
  }),
  /** Removes people from the caller's projects; a person whom no other project names is deleted. */
  remove: endpoint({
    method: 'POST',
    path: '/person/delete',
    permission: 'person.write',
    log: 'person.delete',
    body: z.strictObject({ ids: selectionOf(id, 200) }),
    reply: z.object({ results: z.array(rowResult), done: z.int(), denied: z.int() }),
    outcome: outcomeOfCount,
  }),
};
