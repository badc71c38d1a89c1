/** Contacts in the order of calling; a person who is listed twice is called once. */
export const withoutRepeats = <Contact extends { name: string; phone: string }>(
  contacts: readonly Contact[],
): Contact[] =>
  contacts.filter(
    ({ name, phone }, index) =>
      contacts.findIndex((other) => other.name === name && other.phone === phone) === index,
  );
