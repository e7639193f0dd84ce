#include "workload/data_type.h"

namespace orrery {

std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::fp16:
      return "fp16";
    case DataType::bf16:
      return "bf16";
    case DataType::fp32:
      return "fp32";
    case DataType::fp8:
      return "fp8";
  }
  return "";
}

Bytes size_of(DataType type) {
  switch (type) {
    case DataType::fp16:
    case DataType::bf16:
      return bytes(2);
    case DataType::fp32:
      return bytes(4);
    case DataType::fp8:
      return bytes(1);
  }
  return {};
}

}  // namespace orrery
