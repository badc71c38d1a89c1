import { crc32, deflateRawSync } from 'node:zlib';

export interface BookPlan {
  /** The workbook has one sheet under all of these names. */
  sheetNames: readonly string[];
  /** Its XML. */
  sheet: string;
}

const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`;
const relations = (type: string, target: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;

/** An .xlsx that no spreadsheet program would write, but an attacker could. */
export const workbook = ({ sheetNames, sheet }: BookPlan): Buffer =>
  zip({
    '[Content_Types].xml': types,
    '_rels/.rels': relations('officeDocument', 'xl/workbook.xml'),
    'xl/_rels/workbook.xml.rels': relations('worksheet', 'worksheets/sheet1.xml'),
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${sheetNames.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId1"/>`).join('')}</sheets></workbook>`,
    'xl/worksheets/sheet1.xml': sheet,
  });

const zip = (files: Record<string, string>): Buffer => {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x00'), common, tail, Buffer.from(name));
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    local.push(entry);
    offset += entry.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
};
