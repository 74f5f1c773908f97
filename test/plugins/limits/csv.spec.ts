// CSV that is safe to open in a spreadsheet.
import t from 'tap';
import { csvCell } from '#plugins/limits/violations/csv';

void t.test('a cell is quoted according to RFC 4180, and is never a formula', async (t) => {
  for (const [text, cell] of [
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1', "' =1"],
    ['\r=1', '"\'\r=1"'],
    ['＝1', "'＝1"],
    ['=1,"2"', '"\'=1,""2"""'],
    ['a;=1', 'a%3B=1'],
    ['a\t=1', 'a%09=1'],
    ['', ''],
  ] as const)
    t.equal(csvCell(text), cell);
});
