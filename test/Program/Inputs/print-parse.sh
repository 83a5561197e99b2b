# print-parse.sh FOLDER FLAGS FILE...: prints each program of the files, parses that and prints it again.
set -e
folder=$1 flags=$2 count=0
shift 2
for file; do
  grep -q '^#\[goldy::program' "$file" || continue
  rm -rf "$folder/texts"
  # shellcheck disable=SC2086 # several flags
  goldyc "$file" $flags --emit=program-text --out-dir="$folder/texts"
  # shellcheck disable=SC2086
  goldyc "$file" $flags --target=x86-64-v2 -o "$folder/programs.gdy"
  for text in "$folder"/texts/*; do
    goldyc "$text" --emit=program-text | cmp - "$text"
    name=$(sed -n 's/^name: "\(.*\)",$/\1/p' "$text")
    goldyrun info --program-text "$folder/programs.gdy" "$name" > "$folder/kept.gdyt"
    goldyc "$folder/kept.gdyt" --emit=program-text | cmp - "$folder/kept.gdyt"
    count=$((count + 1))
  done
done
echo "$count programs print and parse to the same"
